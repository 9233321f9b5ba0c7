## What needs CUDA and NCCL; libgleaner loads it when a program uses a GPU.
EXTRA_DIST += %reldir%/scale.cu
if HAVE_GPU
# All but the kernel and the driver, for which tests have stand-ins.
noinst_LTLIBRARIES += %reldir%/libgpu.la
%canon_reldir%_libgpu_la_SOURCES = \
	%reldir%/comm_nccl.hh \
	%reldir%/comm_nccl.cc \
	%reldir%/cuda_call.hh \
	%reldir%/device_cuda.hh \
	%reldir%/device_cuda.cc \
	%reldir%/hex.hh \
	%reldir%/nccl_contact.hh \
	%reldir%/nccl_contact.cc \
	%reldir%/nccl_version.hh \
	%reldir%/nccl_version.cc \
	%reldir%/scale.hh
%canon_reldir%_libgpu_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS)

pkglib_LTLIBRARIES += %reldir%/libgleaner_gpu.la
%canon_reldir%_libgleaner_gpu_la_SOURCES = \
	%reldir%/cuda_call.cc \
	%reldir%/module.cc
%canon_reldir%_libgleaner_gpu_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS)
%canon_reldir%_libgleaner_gpu_la_LIBADD = %reldir%/libgpu.la %reldir%/scale.lo $(NCCL_LIBS) $(CUDA_LIBS)
%canon_reldir%_libgleaner_gpu_la_LDFLAGS = -module -avoid-version -no-undefined \
	-Wl,--version-script=$(top_srcdir)/%reldir%/libgleaner_gpu.map -Wl,-z,now -pthread
EXTRA_%canon_reldir%_libgleaner_gpu_la_DEPENDENCIES = %reldir%/libgleaner_gpu.map

# One kernel, for what configure found that nvcc compiles for.
NVCCFLAGS = $(NVCC_CODE) -O2
%reldir%/scale.lo: %reldir%/scale.cu %reldir%/scale.hh
	$(AM_V_GEN)$(MKDIR_P) %reldir% && $(LIBTOOL) $(AM_V_lt) --tag=CXX --mode=compile \
	  $(NVCC) --forward-unknown-to-host-compiler -std=c++17 -I$(top_srcdir) \
	  $(NVCCFLAGS) -c $(top_srcdir)/%reldir%/scale.cu -o $@
endif
EXTRA_DIST += %reldir%/libgleaner_gpu.map

## runtime: see doc/architecture.md, "Folders".

# The protocol: no I/O, no clock, no threads.
noinst_LTLIBRARIES += %reldir%/libgeneration.la
%canon_reldir%_libgeneration_la_SOURCES = \
	%reldir%/ledger.hh \
	%reldir%/ledger.cc \
	%reldir%/log_means.hh \
	%reldir%/membership.hh \
	%reldir%/membership_state.hh \
	%reldir%/membership.cc \
	%reldir%/membership_change.cc \
	%reldir%/membership_check.cc \
	%reldir%/membership_health.cc \
	%reldir%/membership_record.cc \
	%reldir%/membership_recovery.cc \
	%reldir%/resize_cost.hh \
	%reldir%/resize_cost.cc \
	%reldir%/sampler.hh \
	%reldir%/sampler.cc \
	%reldir%/session.hh \
	%reldir%/session_state.hh \
	%reldir%/session.cc \
	%reldir%/session_step.cc \
	%reldir%/step_shares.hh \
	%reldir%/step_shares.cc \
	%reldir%/stuck.hh \
	%reldir%/stuck.cc
%canon_reldir%_libgeneration_la_LIBADD = src/proto/libproto.la

# What processes of one node share: memory, open files.
noinst_LTLIBRARIES += %reldir%/libdescriptors.la
%canon_reldir%_libdescriptors_la_SOURCES = \
	%reldir%/descriptors.hh \
	%reldir%/descriptors.cc \
	%reldir%/fd.hh \
	%reldir%/memory.hh \
	%reldir%/memory.cc

# Data planes.
noinst_LTLIBRARIES += %reldir%/libcomm.la
%canon_reldir%_libcomm_la_SOURCES = \
	%reldir%/comm.hh \
	%reldir%/comm.cc \
	%reldir%/element.hh \
	%reldir%/element.cc \
	%reldir%/half.hh \
	%reldir%/comm_self.hh \
	%reldir%/comm_self.cc \
	%reldir%/comm_staged.hh \
	%reldir%/comm_staged.cc \
	%reldir%/device.hh \
	%reldir%/gpu_module.hh \
	%reldir%/gpu_module.cc
%canon_reldir%_libcomm_la_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
%canon_reldir%_libcomm_la_LIBADD = %reldir%/libdescriptors.la -ldl
if HAVE_GLOO
%canon_reldir%_libcomm_la_SOURCES += \
	%reldir%/comm_gloo.hh \
	%reldir%/comm_gloo.cc \
	%reldir%/comm_gloo_device.hh \
	%reldir%/comm_gloo_device.cc \
	%reldir%/comm_ring.hh \
	%reldir%/signals.hh
%canon_reldir%_libcomm_la_CPPFLAGS += -DHAVE_GLOO $(GLOO_CPPFLAGS)
%canon_reldir%_libcomm_la_LIBADD += $(GLOO_LIBS)
endif

if HAVE_MPI
%canon_reldir%_libcomm_la_SOURCES += \
	%reldir%/comm_mpi.hh \
	%reldir%/comm_mpi.cc \
	%reldir%/comm_request.hh
%canon_reldir%_libcomm_la_CPPFLAGS += -DHAVE_MPI
endif

# What a member needs beside the protocol and the planes.  libproto comes with
# libgeneration alone: libgleaner.so would get a second copy otherwise.
noinst_LTLIBRARIES += %reldir%/libstate.la %reldir%/libmember.la
%canon_reldir%_libstate_la_SOURCES = \
	%reldir%/checkpoint_file.hh \
	%reldir%/checkpoint_file.cc \
	%reldir%/fixed_point.hh \
	%reldir%/fixed_point.cc \
	%reldir%/gradients.hh \
	%reldir%/gradients.cc \
	%reldir%/memory_pages.hh \
	%reldir%/readiness.hh \
	%reldir%/registry.hh \
	%reldir%/registry.cc \
	%reldir%/shard_sums.hh \
	%reldir%/shard_sums.cc \
	%reldir%/state_digest.hh \
	%reldir%/state_digest.cc \
	%reldir%/transfer.hh \
	%reldir%/transfer.cc
%canon_reldir%_libstate_la_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
%canon_reldir%_libstate_la_LIBADD = %reldir%/libcomm.la $(CRYPTO_LIBS)

%canon_reldir%_libmember_la_SOURCES = \
	%reldir%/background.hh \
	%reldir%/data_service.hh \
	%reldir%/data_service.cc \
	%reldir%/fingerprint.hh \
	%reldir%/fingerprint.cc \
	%reldir%/link.hh \
	%reldir%/link_alone.cc \
	%reldir%/link_remote.cc \
	%reldir%/member.hh \
	%reldir%/member.cc \
	%reldir%/member_reduction.cc \
	%reldir%/member_actions.cc \
	%reldir%/planes.hh \
	%reldir%/planes.cc \
	%reldir%/state_moves.hh \
	%reldir%/state_moves.cc \
	%reldir%/state_portions.hh \
	%reldir%/state_portions.cc \
	%reldir%/whereabouts.hh
%canon_reldir%_libmember_la_LIBADD = \
	%reldir%/libstate.la %reldir%/libgeneration.la

# Processes we start.
noinst_LTLIBRARIES += %reldir%/libchild.la
%canon_reldir%_libchild_la_SOURCES = \
	%reldir%/child_processes.hh \
	%reldir%/child_processes.cc \
	%reldir%/cpu_list.hh \
	%reldir%/cpu_list.cc \
	%reldir%/comm_directory.hh \
	%reldir%/comm_directory.cc

# What programs link with.  Only gleaner.h can be seen of it.
lib_LTLIBRARIES += %reldir%/libgleaner.la
gleanerincludedir = $(includedir)/gleaner
gleanerinclude_HEADERS = \
	%reldir%/include/gleaner/gleaner.h \
	%reldir%/include/gleaner/gleaner.hpp
%canon_reldir%_libgleaner_la_SOURCES = %reldir%/gleaner_api.cc
%canon_reldir%_libgleaner_la_LIBADD = %reldir%/libmember.la
%canon_reldir%_libgleaner_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
	-Wl,--version-script=$(top_srcdir)/%reldir%/libgleaner.map \
	-Wl,-z,now -pthread
EXTRA_%canon_reldir%_libgleaner_la_DEPENDENCIES = %reldir%/libgleaner.map
EXTRA_DIST += %reldir%/libgleaner.map

# What needs CUDA and NCCL; libgleaner loads it when a program uses a GPU.
EXTRA_DIST += %reldir%/gpu/scale.cu
if HAVE_GPU
pkglib_LTLIBRARIES += %reldir%/libgleaner_gpu.la
%canon_reldir%_libgleaner_gpu_la_SOURCES = \
	%reldir%/gpu/comm_nccl.hh \
	%reldir%/gpu/comm_nccl.cc \
	%reldir%/gpu/device_cuda.hh \
	%reldir%/gpu/device_cuda.cc \
	%reldir%/gpu/hex.hh \
	%reldir%/gpu/module.cc \
	%reldir%/gpu/scale.hh
%canon_reldir%_libgleaner_gpu_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS)
%canon_reldir%_libgleaner_gpu_la_LIBADD = %reldir%/gpu/scale.lo $(NCCL_LIBS) $(CUDA_LIBS)
%canon_reldir%_libgleaner_gpu_la_LDFLAGS = -module -avoid-version -no-undefined \
	-Wl,--version-script=$(top_srcdir)/%reldir%/gpu/libgleaner_gpu.map -Wl,-z,now -pthread
EXTRA_%canon_reldir%_libgleaner_gpu_la_DEPENDENCIES = %reldir%/gpu/libgleaner_gpu.map

# One kernel, as PTX that the driver compiles for the GPU it finds.
NVCCFLAGS = -gencode=arch=compute_75,code=compute_75 -O2
%reldir%/gpu/scale.lo: %reldir%/gpu/scale.cu %reldir%/gpu/scale.hh
	$(AM_V_GEN)$(MKDIR_P) %reldir%/gpu && $(LIBTOOL) $(AM_V_lt) --tag=CXX --mode=compile \
	  $(NVCC) --forward-unknown-to-host-compiler -std=c++17 -I$(top_srcdir) \
	  $(NVCCFLAGS) -c $(top_srcdir)/%reldir%/gpu/scale.cu -o $@
endif
EXTRA_DIST += %reldir%/gpu/libgleaner_gpu.map

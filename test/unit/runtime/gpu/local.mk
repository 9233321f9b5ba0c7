## Unit tests of what calls CUDA and NCCL, with stand-ins in place of both.
if HAVE_CATCH2
if HAVE_GPU
check_PROGRAMS += %reldir%/test_gpu
TESTS += %reldir%/test_gpu
%canon_reldir%_test_gpu_SOURCES = $(plane_test_sources) \
	%reldir%/nccl_contact_test.cc \
	%reldir%/plane_nccl_test.cc \
	%reldir%/planes_stand_in.cc \
	%reldir%/stand_in/cuda.cc \
	%reldir%/stand_in/gpu.hh \
	%reldir%/stand_in/nccl.cc \
	%reldir%/stand_in/team.hh \
	%reldir%/thread_test.cc
%canon_reldir%_test_gpu_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	$(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS) \
	-I$(srcdir)/%reldir% -I$(srcdir)/test/unit/runtime/comm
%canon_reldir%_test_gpu_LDADD = test/unit/libtestmain.la runtime/gpu/libgpu.la \
	runtime/comm/libcomm.la src/proto/libproto.la
%canon_reldir%_test_gpu_LDFLAGS = -pthread
endif
endif
EXTRA_DIST += %reldir%/nccl_contact_test.cc %reldir%/plane_nccl_test.cc \
	%reldir%/planes_stand_in.cc %reldir%/stand_in/cuda.cc \
	%reldir%/stand_in/gpu.hh %reldir%/stand_in/nccl.cc %reldir%/stand_in/team.hh \
	%reldir%/thread_test.cc

## For machines with an NVIDIA GPU: `make check-gpu`, or test/gpu/run, which can
## also pack it for a machine without a compiler.  Where CUDA and NCCL are found
## without a GPU, `make check` builds them.
dist_check_SCRIPTS += %reldir%/run %reldir%/code.t %reldir%/device.t \
	%reldir%/restless.t
TESTS += %reldir%/code.t
if HAVE_CATCH2
TESTS += %reldir%/device.t %reldir%/restless.t
check_PROGRAMS += %reldir%/device_trainer
%canon_reldir%_device_trainer_SOURCES = %reldir%/device_trainer.cc
%canon_reldir%_device_trainer_LDADD = runtime/libgleaner.la -ldl
%canon_reldir%_device_trainer_LDFLAGS = -pthread
endif
gpu_tests =
if HAVE_CATCH2
if HAVE_GPU
check_PROGRAMS += %reldir%/test_nccl
%canon_reldir%_test_nccl_SOURCES = $(plane_test_sources) \
	%reldir%/device_test.cc \
	%reldir%/planes_gpu.cc
%canon_reldir%_test_nccl_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-I$(top_srcdir)/test/unit/runtime/comm
%canon_reldir%_test_nccl_LDADD = test/unit/libtestmain.la runtime/comm/libcomm.la src/proto/libproto.la
%canon_reldir%_test_nccl_LDFLAGS = -pthread
gpu_tests += %reldir%/test_nccl %reldir%/device_trainer runtime/gpu/libgleaner_gpu.la
endif
endif
# What test/gpu/run runs.
.PHONY: gpu-programs check-gpu
gpu-programs: $(gpu_tests)
	@test -n "$(gpu_tests)" || \
	  { echo "check-gpu: this build has no CUDA and NCCL, or no Catch2" >&2; exit 1; }
	$(MAKE) runtime/agent/gleaner-agent runtime/coordinator/gleaner-coordinator
check-gpu: gpu-programs
	GPU_TEST_BUILT=yes $(srcdir)/%reldir%/run $(abs_top_builddir)
EXTRA_DIST += %reldir%/device_test.cc %reldir%/planes_gpu.cc

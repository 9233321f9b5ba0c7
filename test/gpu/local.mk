## For machines with an NVIDIA GPU: `make check-gpu`, or test/gpu/run on a bare
## one.  Where CUDA and NCCL are found without a GPU, `make check` builds them.
dist_check_SCRIPTS += %reldir%/run %reldir%/code.t %reldir%/device.t
TESTS += %reldir%/code.t
if HAVE_CATCH2
TESTS += %reldir%/device.t
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
.PHONY: check-gpu
check-gpu: $(gpu_tests)
	@test -n "$(gpu_tests)" || \
	  { echo "check-gpu: this build has no CUDA and NCCL, or no Catch2" >&2; exit 1; }
	@ls /dev/nvidia[0-9]* >/dev/null 2>&1 || \
	  { echo "check-gpu: no GPU here (no /dev/nvidia0)" >&2; exit 1; }
	GLEANER_MODULES=$(abs_top_builddir)/runtime/gpu/.libs %reldir%/test_nccl -d yes
	$(MAKE) runtime/agent/gleaner-agent runtime/coordinator/gleaner-coordinator
	top_srcdir=$(top_srcdir) top_builddir=$(top_builddir) GLEANER_COMM=nccl \
	  NCCL_SOCKET_IFNAME=lo GLEANER_MODULES=$(abs_top_builddir)/runtime/gpu/.libs \
	  $(SHELL) $(srcdir)/%reldir%/device.t
	@if python3 -c 'import cffi, torch; torch.zeros(1, device="cuda")' 2>/dev/null; then \
	  top_srcdir=$(top_srcdir) top_builddir=$(top_builddir) \
	    GLEANER_TEST_DEVICE=cuda python3 $(top_srcdir)/test/python/on_device.py; \
	else \
	  echo "# not run: test/python/on_device.py (no cffi and PyTorch with CUDA for python3)"; \
	fi
EXTRA_DIST += %reldir%/device_test.cc %reldir%/planes_gpu.cc

dist_check_SCRIPTS += %reldir%/layering.t %reldir%/layering_examples.t
TESTS += %reldir%/layering.t %reldir%/layering_examples.t
EXTRA_DIST += %reldir%/sanitizers/races.supp

if HAVE_CATCH2
# Catch2's main() is slow to compile: once for all.
check_LTLIBRARIES += %reldir%/unit/libtestmain.la
%canon_reldir%_unit_libtestmain_la_SOURCES = %reldir%/unit/catch.hh \
	%reldir%/unit/main.cc
%canon_reldir%_unit_libtestmain_la_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_unit_libtestmain_la_LIBADD = $(CATCH2_LIBS)
endif

include %reldir%/unit/core/local.mk
include %reldir%/unit/proto/local.mk
include %reldir%/unit/alloc/local.mk
include %reldir%/unit/profile/local.mk
include %reldir%/unit/sim/local.mk
include %reldir%/unit/slurm/local.mk
include %reldir%/unit/daemon/local.mk
include %reldir%/unit/doctor/local.mk
include %reldir%/unit/cli/local.mk
include %reldir%/unit/plugins/local.mk
include %reldir%/unit/runtime/local.mk
include %reldir%/unit/runtime/os/local.mk
include %reldir%/unit/runtime/generation/local.mk
include %reldir%/unit/runtime/comm/local.mk
include %reldir%/unit/runtime/comm_host/local.mk
include %reldir%/unit/runtime/gpu/local.mk
include %reldir%/unit/runtime/state/local.mk
include %reldir%/unit/runtime/member/local.mk
include %reldir%/unit/runtime/agent/local.mk
include %reldir%/unit/runtime/coordinator/local.mk
include %reldir%/runtime/local.mk
include %reldir%/bench/local.mk
include %reldir%/chaos/local.mk
include %reldir%/python/local.mk
include %reldir%/system/local.mk
include %reldir%/gpu/local.mk
include %reldir%/fuzz/local.mk
include %reldir%/recorded/local.mk
include %reldir%/mutants/local.mk

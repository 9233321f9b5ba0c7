# System tests: bats on the minicluster.  They measure times: ./check runs them
# after the unit tests, and they take turns even under make -j.
system_tests = \
	%reldir%/minicluster.bats \
	%reldir%/guard.bats \
	%reldir%/flood.bats \
	%reldir%/site_lua.bats \
	%reldir%/kinds.bats \
	%reldir%/parts.bats \
	%reldir%/profile.bats \
	%reldir%/deliberate.bats \
	%reldir%/links.bats \
	%reldir%/campaign.bats \
	%reldir%/resize.bats \
	%reldir%/weight.bats \
	%reldir%/loss.bats \
	%reldir%/notice.bats \
	%reldir%/restart.bats \
	%reldir%/backup.bats \
	%reldir%/end_leases.bats \
	%reldir%/hostile.bats \
	%reldir%/accounting.bats \
	%reldir%/fail_open.bats \
	%reldir%/observe.bats \
	%reldir%/admin.bats \
	%reldir%/doctor.bats \
	%reldir%/harm.bats \
	%reldir%/variants.bats
# End of system_tests

EXTRA_DIST += $(system_tests) test/count-results test/platforms \
	%reldir%/helpers.bash %reldir%/training.bash %reldir%/speak \
	%reldir%/pose %reldir%/flood

# The training they run.
check_PROGRAMS += %reldir%/trainer
%canon_reldir%_trainer_SOURCES = %reldir%/trainer.c
%canon_reldir%_trainer_LDADD = runtime/libgleaner.la -lm

if HAVE_SLURM
check_PROGRAMS += %reldir%/end_leases
%canon_reldir%_end_leases_SOURCES = %reldir%/end_leases.cc
%canon_reldir%_end_leases_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_end_leases_LDADD = src/slurm/libslurmcontrol.la src/core/libconfig.la \
	src/core/libcore.la
endif

if HAVE_BATS
TESTS += $(system_tests)
endif

# What `make check` runs, in two parts; and the part of it that tells one release
# of Debian from another: system, Python and data-plane tests, and the unit tests
# of what meets Slurm.  It builds no other unit tests, which take longer to build than
# the rest of the tree.
check-unit check-system check-platform: all
	@programs=; test $@ != check-platform || \
	  programs='$(filter-out test/unit/%,$(check_PROGRAMS))'; \
	test -z "$$programs" || \
	  programs="check_PROGRAMS=$$programs $(filter %/test_plane %/test_plugins %/test_slurm,$(check_PROGRAMS))"; \
	tests=; for t in $(TESTS); do \
	  case $@:$$t in \
	  check-unit:*.bats) ;; check-unit:*|check-system:*.bats) tests="$$tests $$t" ;; \
	  check-platform:*.bats|check-platform:*.py|check-platform:test/runtime/*) \
	    tests="$$tests $$t" ;; \
	  check-platform:*/test_plane|check-platform:*/test_plugins|check-platform:*/test_slurm) \
	    tests="$$tests $$t" ;; \
	  esac; \
	done; \
	$(MAKE) $(AM_MAKEFLAGS) check TESTS="$$tests" $${programs:+"$$programs"}
.PHONY: check-unit check-system check-platform

# All of it, and the demo, on each Debian: test/platforms says how.
check-platforms:
	cd '$(top_srcdir)' && test/platforms
.PHONY: check-platforms

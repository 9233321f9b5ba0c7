# System tests: bats on the minicluster.  Each starts daemons and measures
# times, so they run one after the other, and after the unit tests' turn.
system_tests = \
	%reldir%/minicluster.bats
# End of system_tests

EXTRA_DIST += $(system_tests) %reldir%/helpers.bash test/count-results

if HAVE_BATS
TESTS += $(system_tests)
endif

# What `make check` runs, in two parts.
check-unit check-system: all
	@tests=; for t in $(TESTS); do \
	  case $@:$$t in \
	  check-unit:*.bats) ;; check-unit:*|check-system:*.bats) tests="$$tests $$t" ;; \
	  esac; \
	done; \
	$(MAKE) $(AM_MAKEFLAGS) check TESTS="$$tests"
.PHONY: check-unit check-system

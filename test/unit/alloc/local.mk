## Unit tests of alloc.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_alloc
TESTS += %reldir%/test_alloc
%canon_reldir%_test_alloc_SOURCES = \
	%reldir%/by_kinds_test.cc \
	%reldir%/cases.hh \
	%reldir%/cautious_test.cc \
	%reldir%/cohorts_test.cc \
	%reldir%/cuts_test.cc \
	%reldir%/equal_share_test.cc \
	%reldir%/exact_test.cc \
	%reldir%/gleaner_test.cc \
	%reldir%/hole_needs_test.cc \
	%reldir%/knapsack_test.cc \
	%reldir%/placement_test.cc \
	%reldir%/plan_test.cc \
	%reldir%/problem_json_test.cc \
	%reldir%/random_knapsacks.hh \
	%reldir%/random_problems.hh \
	%reldir%/seed.hh \
	%reldir%/visiting_test.cc
if HAVE_CBC
%canon_reldir%_test_alloc_SOURCES += %reldir%/milp_test.cc
endif
%canon_reldir%_test_alloc_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_alloc_LDADD = test/unit/libtestmain.la src/alloc/liballoc.la \
	src/alloc/libmilp.la
endif

## Unit tests of profile.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_profile
TESTS += %reldir%/test_profile
%canon_reldir%_test_profile_SOURCES = \
	%reldir%/agreement_test.cc \
	%reldir%/advisor_test.cc \
	%reldir%/advisor_truths_test.cc \
	%reldir%/largest_share_test.cc \
	%reldir%/node_market_test.cc \
	%reldir%/profile_budget_test.cc \
	%reldir%/profile_desk_test.cc \
	%reldir%/scaling_curve_test.cc \
	%reldir%/truths.hh
%canon_reldir%_test_profile_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_profile_LDADD = test/unit/libtestmain.la src/profile/libprofile.la
endif

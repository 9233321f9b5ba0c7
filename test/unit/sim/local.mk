## Unit tests of sim.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_sim
TESTS += %reldir%/test_sim
%canon_reldir%_test_sim_SOURCES = \
	%reldir%/backfill_test.cc \
	%reldir%/cases.hh \
	%reldir%/engine_test.cc \
	%reldir%/input_test.cc \
	%reldir%/recorded_holes_test.cc \
	%reldir%/rules_test.cc \
	%reldir%/summary_test.cc \
	%reldir%/swf_test.cc
%canon_reldir%_test_sim_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	$(ZLIB_CFLAGS)
%canon_reldir%_test_sim_LDADD = test/unit/libtestmain.la src/sim/libsim.la \
	src/alloc/libmilp_absent.la $(ZLIB_LIBS)
endif

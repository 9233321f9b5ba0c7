## Unit tests of cli.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_cli
TESTS += %reldir%/test_cli
%canon_reldir%_test_cli_SOURCES = \
	test/unit/source_file.hh \
	%reldir%/axes_test.cc \
	%reldir%/captured_command_test.cc \
	%reldir%/logs_test.cc \
	%reldir%/observed_test.cc \
	%reldir%/profile_view_test.cc \
	%reldir%/sacct_test.cc \
	%reldir%/sample_audit_test.cc \
	%reldir%/sim_timeline_test.cc \
	%reldir%/solve_test.cc \
	%reldir%/status_view_test.cc \
	%reldir%/summary_test.cc \
	%reldir%/time_spans_test.cc \
	%reldir%/timeline_layout_test.cc
%canon_reldir%_test_cli_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_cli_LDADD = test/unit/libtestmain.la src/cli/libcli.la \
	src/proto/libproto.la
endif

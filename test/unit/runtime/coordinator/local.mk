## Unit tests of gleaner-coordinator.
if HAVE_CATCH2
if HAVE_MUNGE
check_PROGRAMS += %reldir%/test_coordinator
TESTS += %reldir%/test_coordinator
%canon_reldir%_test_coordinator_SOURCES = \
	runtime/coordinator/options.cc \
	%reldir%/checkpoint_pointer_test.cc \
	%reldir%/departures_test.cc \
	%reldir%/event_log_head_test.cc \
	%reldir%/event_log_test.cc \
	%reldir%/lease_command_test.cc \
	%reldir%/lease_launcher_test.cc \
	%reldir%/lease_options_test.cc \
	%reldir%/listening_test.cc \
	%reldir%/options_test.cc \
	%reldir%/node_life_test.cc \
	%reldir%/pace_meter_test.cc \
	%reldir%/progress_meter_test.cc \
	%reldir%/replacements_test.cc
%canon_reldir%_test_coordinator_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-DPKGLIBEXECDIR='"$(pkglibexecdir)"'
%canon_reldir%_test_coordinator_LDADD = test/unit/libtestmain.la runtime/coordinator/libleasing.la \
	src/core/libconfig.la src/core/libcore.la
%canon_reldir%_test_coordinator_LDFLAGS = -pthread
endif
endif

## Unit tests of gleaner-agent.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_agent
TESTS += %reldir%/test_agent
%canon_reldir%_test_agent_SOURCES = \
	%reldir%/agent_test.cc \
	%reldir%/gpu_place_test.cc \
	%reldir%/gpu_share_test.cc \
	%reldir%/labelled_output_test.cc
if HAVE_HWLOC
%canon_reldir%_test_agent_SOURCES += %reldir%/binding_test.cc
endif
%canon_reldir%_test_agent_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_agent_LDADD = test/unit/libtestmain.la runtime/agent/libagent.la
%canon_reldir%_test_agent_LDFLAGS = -pthread
endif

## Unit tests of gleaner-comm-host and of the processes it starts.
if HAVE_CATCH2
if HAVE_MPI
check_PROGRAMS += %reldir%/test_comm_host
TESTS += %reldir%/test_comm_host
%canon_reldir%_test_comm_host_SOURCES = \
	%reldir%/comm_environment_test.cc \
	%reldir%/comm_host_test.cc \
	test/unit/runtime/comm/planes/comm_hosts.hh \
	test/unit/runtime/comm/planes/comm_hosts.cc \
	$(plane_members)
%canon_reldir%_test_comm_host_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-I$(top_srcdir)/test/unit/runtime/comm
%canon_reldir%_test_comm_host_LDADD = \
	test/unit/libtestmain.la runtime/comm/libcomm.la runtime/comm_host/libcommhost.la
%canon_reldir%_test_comm_host_LDFLAGS = -pthread
endif
endif

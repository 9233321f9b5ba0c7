## Unit tests of daemon.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_daemon
TESTS += %reldir%/test_daemon
%canon_reldir%_test_daemon_SOURCES = \
	%reldir%/world.hh \
	%reldir%/adoption_test.cc \
	%reldir%/give_back_test.cc \
	%reldir%/lending_test.cc
%canon_reldir%_test_daemon_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_daemon_LDADD = test/unit/libtestmain.la src/daemon/libbrain.la
endif

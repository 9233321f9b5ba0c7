## Unit tests of state, gradients and checkpoints.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_state
TESTS += %reldir%/test_state
%canon_reldir%_test_state_SOURCES = \
	%reldir%/checkpoint_file_test.cc \
	%reldir%/fixed_point_test.cc \
	%reldir%/gradients_test.cc \
	%reldir%/readiness_test.cc \
	%reldir%/registry_test.cc \
	%reldir%/sealed_socket_test.cc \
	%reldir%/shard_sums_test.cc \
	%reldir%/silent_link_test.cc \
	%reldir%/state_digest_test.cc \
	%reldir%/state_snapshot_test.cc \
	test/unit/runtime/comm/planes/walled_device.hh \
	test/unit/runtime/comm/planes/walled_device.cc
%canon_reldir%_test_state_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-I$(top_srcdir)/test/unit/runtime/comm
%canon_reldir%_test_state_LDADD = \
	test/unit/libtestmain.la runtime/state/libstate.la src/proto/libproto.la
%canon_reldir%_test_state_LDFLAGS = -pthread
endif

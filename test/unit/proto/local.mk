if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_proto
TESTS += %reldir%/test_proto
%canon_reldir%_test_proto_SOURCES = \
	%reldir%/base64_test.cc \
	%reldir%/channel_test.cc \
	%reldir%/libcrypto_use_test.cc \
	%reldir%/listener_test.cc \
	%reldir%/frame_test.cc \
	%reldir%/message_limits_test.cc \
	%reldir%/messages_test.cc \
	%reldir%/protocol_doc_test.cc \
	%reldir%/secret_door_test.cc \
	%reldir%/snapshot_change_test.cc \
	%reldir%/strangers_test.cc \
	%reldir%/ticket_test.cc
%canon_reldir%_test_proto_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_proto_LDADD = test/unit/libtestmain.la src/proto/libproto.la

if HAVE_MUNGE
check_PROGRAMS += %reldir%/test_munge
TESTS += %reldir%/test_munge
%canon_reldir%_test_munge_SOURCES = %reldir%/munge_handshake_test.cc
%canon_reldir%_test_munge_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_munge_LDADD = test/unit/libtestmain.la src/proto/libwrappedsecret.la src/proto/libmungeauth.la
endif
endif

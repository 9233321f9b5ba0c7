noinst_LTLIBRARIES += %reldir%/libticket.la %reldir%/libmessages.la %reldir%/libproto.la

# Apart: job_submit_gleaner needs no more than this.
%canon_reldir%_libticket_la_SOURCES = \
	%reldir%/secret.hh \
	%reldir%/libcrypto_use.hh \
	%reldir%/libcrypto_use.cc \
	%reldir%/secret.cc \
	%reldir%/ticket.hh \
	%reldir%/ticket.cc
%canon_reldir%_libticket_la_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
%canon_reldir%_libticket_la_LIBADD = src/core/libcore.la $(CRYPTO_LIBS)

# A library of its own: sched_gleaner needs messages, but no Asio in slurmctld.
# Programs that link it also link libcore.la.
%canon_reldir%_libmessages_la_SOURCES = \
	%reldir%/frame.hh \
	%reldir%/frame.cc \
	%reldir%/message_codec.hh \
	%reldir%/message_limits.hh \
	%reldir%/comm_messages.hh \
	%reldir%/comm_messages.cc \
	%reldir%/daemon_messages.hh \
	%reldir%/daemon_messages.cc \
	%reldir%/runtime_messages.hh \
	%reldir%/runtime_messages.cc \
	%reldir%/snapshot_change.hh \
	%reldir%/snapshot_change.cc \
	%reldir%/splice.hh

%canon_reldir%_libproto_la_SOURCES = \
	%reldir%/accept_failures.hh \
	%reldir%/base64.hh \
	%reldir%/base64.cc \
	%reldir%/channel.hh \
	%reldir%/channel.cc \
	%reldir%/channel_endpoints.cc \
	%reldir%/frame_seal.hh \
	%reldir%/frame_seal.cc \
	%reldir%/handshake.hh \
	%reldir%/secret_door.hh \
	%reldir%/secret_door.cc \
	%reldir%/secret_handshake.hh \
	%reldir%/secret_handshake.cc \
	%reldir%/strangers.hh
%canon_reldir%_libproto_la_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
%canon_reldir%_libproto_la_LIBADD = %reldir%/libmessages.la %reldir%/libticket.la

if HAVE_MUNGE
noinst_LTLIBRARIES += %reldir%/libmungeauth.la
%canon_reldir%_libmungeauth_la_SOURCES = \
	%reldir%/munge_credential.hh \
	%reldir%/munge_credential.cc \
	%reldir%/munge_handshake.hh \
	%reldir%/munge_handshake.cc
%canon_reldir%_libmungeauth_la_CPPFLAGS = $(AM_CPPFLAGS) $(MUNGE_CFLAGS)
%canon_reldir%_libmungeauth_la_LIBADD = %reldir%/libproto.la $(MUNGE_LIBS)
endif

# For the agent, which is built without MUNGE, too.
noinst_LTLIBRARIES += %reldir%/libwrappedsecret.la
%canon_reldir%_libwrappedsecret_la_SOURCES = %reldir%/wrapped_secret.hh
if HAVE_MUNGE
%canon_reldir%_libwrappedsecret_la_SOURCES += %reldir%/wrapped_secret.cc
%canon_reldir%_libwrappedsecret_la_LIBADD = %reldir%/libmungeauth.la
else
%canon_reldir%_libwrappedsecret_la_SOURCES += %reldir%/wrapped_secret_absent.cc
endif

## One process's part in a training: protocol, planes and state together.
noinst_LTLIBRARIES += %reldir%/libmember.la
%canon_reldir%_libmember_la_SOURCES = \
	%reldir%/background.hh \
	%reldir%/data_service.hh \
	%reldir%/data_service.cc \
	%reldir%/fingerprint.hh \
	%reldir%/fingerprint.cc \
	%reldir%/feeder.hh \
	%reldir%/feeder.cc \
	%reldir%/following.hh \
	%reldir%/following.cc \
	%reldir%/member_following.cc \
	%reldir%/link.hh \
	%reldir%/link_alone.cc \
	%reldir%/link_remote.cc \
	%reldir%/member.hh \
	%reldir%/member.cc \
	%reldir%/member_environment.hh \
	%reldir%/member_environment.cc \
	%reldir%/member_registration.cc \
	%reldir%/member_steps.cc \
	%reldir%/member_reduction.cc \
	%reldir%/member_actions.cc \
	%reldir%/planes.hh \
	%reldir%/planes.cc \
	%reldir%/state_moves.hh \
	%reldir%/state_moves.cc \
	%reldir%/whereabouts.hh
%canon_reldir%_libmember_la_LIBADD = \
	runtime/state/libstate.la runtime/generation/libgeneration.la runtime/os/libsecret.la

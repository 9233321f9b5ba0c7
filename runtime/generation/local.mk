## The protocol: no I/O, no clock, no threads.
noinst_LTLIBRARIES += %reldir%/libgeneration.la
%canon_reldir%_libgeneration_la_SOURCES = \
	%reldir%/layout.hh \
	%reldir%/layout.cc \
	%reldir%/ledger.hh \
	%reldir%/ledger.cc \
	%reldir%/log_means.hh \
	%reldir%/member_ids.hh \
	%reldir%/member_table.hh \
	%reldir%/member_table.cc \
	%reldir%/membership.hh \
	%reldir%/membership_options.hh \
	%reldir%/membership_options.cc \
	%reldir%/membership_state.hh \
	%reldir%/membership.cc \
	%reldir%/membership_change.cc \
	%reldir%/membership_follow.cc \
	%reldir%/follow_forecast.hh \
	%reldir%/membership_health.cc \
	%reldir%/membership_record.cc \
	%reldir%/membership_recovery.cc \
	%reldir%/orders.hh \
	%reldir%/rendezvous.hh \
	%reldir%/rendezvous.cc \
	%reldir%/resize_cost.hh \
	%reldir%/resize_cost.cc \
	%reldir%/sampler.hh \
	%reldir%/sampler.cc \
	%reldir%/session.hh \
	%reldir%/session_state.hh \
	%reldir%/session.cc \
	%reldir%/session_step.cc \
	%reldir%/state_check.hh \
	%reldir%/state_check.cc \
	%reldir%/step_shares.hh \
	%reldir%/step_shares.cc \
	%reldir%/stuck.hh \
	%reldir%/stuck.cc
%canon_reldir%_libgeneration_la_LIBADD = src/proto/libproto.la

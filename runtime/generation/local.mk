## The protocol: no I/O, no clock, no threads.
noinst_LTLIBRARIES += %reldir%/libgeneration.la
%canon_reldir%_libgeneration_la_SOURCES = \
	%reldir%/admission.hh \
	%reldir%/admission.cc \
	%reldir%/change.hh \
	%reldir%/change.cc \
	%reldir%/checkpoint_load.hh \
	%reldir%/checkpoint_load.cc \
	%reldir%/checkpoint_schedule.hh \
	%reldir%/checkpoint_schedule.cc \
	%reldir%/follow_choice.hh \
	%reldir%/follow_choice.cc \
	%reldir%/follow_forecast.hh \
	%reldir%/ledger.hh \
	%reldir%/ledger.cc \
	%reldir%/log_means.hh \
	%reldir%/member_ids.hh \
	%reldir%/member_table.hh \
	%reldir%/member_table.cc \
	%reldir%/membership.hh \
	%reldir%/membership.cc \
	%reldir%/membership_change.cc \
	%reldir%/membership_loss.cc \
	%reldir%/membership_options.hh \
	%reldir%/membership_options.cc \
	%reldir%/membership_record.cc \
	%reldir%/open_offer.hh \
	%reldir%/open_offer.cc \
	%reldir%/orders.hh \
	%reldir%/plane_watch.hh \
	%reldir%/plane_watch.cc \
	%reldir%/program_check.hh \
	%reldir%/program_check.cc \
	%reldir%/recovery.hh \
	%reldir%/recovery.cc \
	%reldir%/rendezvous.hh \
	%reldir%/rendezvous.cc \
	%reldir%/replacement.hh \
	%reldir%/replacement.cc \
	%reldir%/resize_cost.hh \
	%reldir%/resize_cost.cc \
	%reldir%/sampler.hh \
	%reldir%/sampler.cc \
	%reldir%/session.hh \
	%reldir%/session.cc \
	%reldir%/session_state.hh \
	%reldir%/session_step.cc \
	%reldir%/state_check.hh \
	%reldir%/state_check.cc \
	%reldir%/step_shares.hh \
	%reldir%/step_shares.cc \
	%reldir%/stuck.hh \
	%reldir%/stuck.cc \
	%reldir%/training_record.hh \
	%reldir%/training_record.cc
%canon_reldir%_libgeneration_la_LIBADD = src/proto/libproto.la

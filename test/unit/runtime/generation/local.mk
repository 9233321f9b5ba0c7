## Unit tests of the protocol, and the model test.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_generation
TESTS += %reldir%/test_generation
%canon_reldir%_test_generation_SOURCES = \
	%reldir%/follow_forecast_test.cc \
	%reldir%/follow_test.cc \
	%reldir%/ledger_test.cc \
	%reldir%/membership_health_test.cc \
	%reldir%/membership_test.cc \
	%reldir%/model_test.cc \
	%reldir%/notation.hh \
	%reldir%/notation.cc \
	%reldir%/sampler_test.cc \
	%reldir%/session_end_test.cc \
	%reldir%/session_loss_test.cc \
	%reldir%/session_test.cc \
	%reldir%/session_under_test.hh \
	%reldir%/simulation.hh \
	%reldir%/simulation.cc \
	%reldir%/simulation_check.cc \
	%reldir%/simulation_coordinator.cc \
	%reldir%/simulation_counts.hh \
	%reldir%/simulation_counts.cc \
	%reldir%/simulation_faults.hh \
	%reldir%/simulation_faults.cc \
	%reldir%/simulation_lineages.hh \
	%reldir%/simulation_lineages.cc \
	%reldir%/simulation_member.cc \
	%reldir%/simulation_planes.cc \
	%reldir%/simulation_process.hh \
	%reldir%/simulation_state.cc \
	%reldir%/simulation_trace.cc \
	%reldir%/simulation_violation.hh \
	%reldir%/step_shares_test.cc \
	%reldir%/stuck_test.cc \
	%reldir%/trainer_notation.hh
%canon_reldir%_test_generation_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_generation_LDADD = \
	test/unit/libtestmain.la runtime/generation/libgeneration.la
%canon_reldir%_test_generation_LDFLAGS = -pthread
endif

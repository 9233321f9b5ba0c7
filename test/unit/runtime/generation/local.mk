## Unit tests of the protocol, and the model test.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_generation
TESTS += %reldir%/test_generation
%canon_reldir%_test_generation_SOURCES = \
	%reldir%/admission_test.cc \
	%reldir%/change_test.cc \
	%reldir%/checkpoint_load_test.cc \
	%reldir%/checkpoint_schedule_test.cc \
	%reldir%/follow_choice_test.cc \
	%reldir%/follow_forecast_test.cc \
	%reldir%/follow_test.cc \
	%reldir%/layout_test.cc \
	%reldir%/ledger_test.cc \
	%reldir%/member_table_test.cc \
	%reldir%/membership_health_test.cc \
	%reldir%/membership_steps_test.cc \
	%reldir%/membership_test.cc \
	%reldir%/model_test.cc \
	%reldir%/notation.hh \
	%reldir%/notation.cc \
	%reldir%/open_offer_test.cc \
	%reldir%/plane_watch_test.cc \
	%reldir%/program_check_test.cc \
	%reldir%/recovery_test.cc \
	%reldir%/rendezvous_test.cc \
	%reldir%/replacement_test.cc \
	%reldir%/sampler_test.cc \
	%reldir%/session_end_test.cc \
	%reldir%/session_loss_test.cc \
	%reldir%/session_parts_test.cc \
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
	%reldir%/state_check_test.cc \
	%reldir%/step_shares_test.cc \
	%reldir%/stuck_test.cc \
	%reldir%/trainer_notation.hh \
	%reldir%/training_record_test.cc
%canon_reldir%_test_generation_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_generation_LDADD = \
	test/unit/libtestmain.la runtime/generation/libgeneration.la
%canon_reldir%_test_generation_LDFLAGS = -pthread
endif

## The defects have their places in the sources; quick.
dist_check_SCRIPTS += %reldir%/mutants.t
TESTS += %reldir%/mutants.t

## `make check-mutants AREA=protocol MUTANTS='--only withdrawn'`: are defects in the protocol
## noticed?  Compiles a file for each; a quarter of an hour for all.
EXTRA_DIST += %reldir%/mutants %reldir%/defects.py
if HAVE_CATCH2
check-mutants-protocol: %reldir%/test_generation
	CXX='$(CXX)' \
	CXXFLAGS='$(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CXXFLAGS) $(CXXFLAGS)' \
	LINK='$(LIBTOOL) --silent --tag=CXX --mode=link $(CXXLD) $(AM_CXXFLAGS) $(CXXFLAGS) $(LDFLAGS) -o' \
	OBJECTS='$(%canon_reldir%_test_generation_OBJECTS)' \
	LIBS='$(%canon_reldir%_test_generation_LDADD) $(%canon_reldir%_test_generation_LDFLAGS) $(LIBS)' \
		python3 $(srcdir)/%reldir%/mutants --program %reldir%/test_generation \
		$(srcdir)/runtime/generation $(MUTANTS)
else
check-mutants-protocol:
	@echo "check-mutants: built without Catch2 [install catch2]" >&2; exit 2
endif
.PHONY: check-mutants-protocol

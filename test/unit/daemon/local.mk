## Unit tests of daemon.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_daemon
TESTS += %reldir%/test_daemon
%canon_reldir%_test_daemon_SOURCES = \
	test/unit/source_file.hh \
	%reldir%/world.hh \
	%reldir%/adoption_test.cc \
	%reldir%/budgets_test.cc \
	%reldir%/caps_test.cc \
	%reldir%/coming_uses_test.cc \
	%reldir%/count_free_test.cc \
	%reldir%/cut_test.cc \
	%reldir%/documentation_test.cc \
	%reldir%/eligibility_test.cc \
	%reldir%/give_back_test.cc \
	%reldir%/history_test.cc \
	%reldir%/importance_test.cc \
	%reldir%/lending_test.cc \
	%reldir%/node_holds_test.cc \
	%reldir%/orders_test.cc \
	%reldir%/part_ends_test.cc \
	%reldir%/parts_test.cc \
	%reldir%/profile_visits_test.cc \
	%reldir%/release_set_test.cc \
	%reldir%/release_test.cc \
	%reldir%/scaling_profile_test.cc \
	%reldir%/supply_test.cc \
	%reldir%/security_doc_test.cc \
	%reldir%/token_buckets_test.cc \
	%reldir%/why_not_more_test.cc
%canon_reldir%_test_daemon_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_daemon_LDADD = test/unit/libtestmain.la src/daemon/libbrain.la
endif

dist_check_SCRIPTS += %reldir%/service_unit.t
if HAVE_GLEANERD
TESTS += %reldir%/service_unit.t
endif

if HAVE_GLEANERD
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_gleanerd
TESTS += %reldir%/test_gleanerd
%canon_reldir%_test_gleanerd_SOURCES = \
	%reldir%/descriptor_budget_test.cc \
	%reldir%/outside_test.cc \
	%reldir%/plugin_door_test.cc \
	%reldir%/profile_shelf_test.cc \
	%reldir%/temporary_dir.hh
%canon_reldir%_test_gleanerd_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) $(SQLITE_CFLAGS)
%canon_reldir%_test_gleanerd_LDADD = \
	test/unit/libtestmain.la \
	src/daemon/libgleanerd.la \
	src/slurm/libslurmcontrol.la
endif
endif

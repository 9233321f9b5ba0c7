# What the plugins decide.  Linked with libslurm, which has the functions that
# slurmctld would lend them.
if HAVE_CATCH2
if HAVE_SLURM
check_PROGRAMS += %reldir%/test_plugins
TESTS += %reldir%/test_plugins
%canon_reldir%_test_plugins_SOURCES = \
	plugins/job_submit/job_desc.cc \
	%reldir%/job_submit/arrival_notice_test.cc \
	%reldir%/sched/daemon_link_test.cc \
	%reldir%/desc.hh \
	%reldir%/hint_test.cc \
	%reldir%/job_submit/job_desc_test.cc \
	%reldir%/job_submit/lease_guard_test.cc \
	%reldir%/job_submit/lease_template_test.cc \
	%reldir%/local_disk_test.cc \
	%reldir%/malleable_range_test.cc \
	%reldir%/job_submit/our_names_test.cc \
	%reldir%/scratch.hh \
	%reldir%/settings_test.cc \
	%reldir%/sched/stock_backfill_test.cc
%canon_reldir%_test_plugins_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_test_plugins_LDADD = \
	test/unit/libtestmain.la \
	plugins/libscavenger.la \
	plugins/libjobrules.la \
	src/slurm/libjobmarks.la \
	$(SLURM_LIBS)

# The plugin as a whole; ./check --sanitizers looks for races in it.
check_PROGRAMS += %reldir%/test_submit
TESTS += %reldir%/test_submit
%canon_reldir%_test_submit_SOURCES = \
	plugins/job_submit/job_desc.cc \
	plugins/job_submit/job_submit_gleaner.cc \
	%reldir%/desc.hh \
	%reldir%/scratch.hh \
	%reldir%/failing_memory.hh \
	%reldir%/failing_memory.cc \
	%reldir%/job_submit/submit_test.cc
%canon_reldir%_test_submit_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_test_submit_LDADD = \
	test/unit/libtestmain.la \
	plugins/libjobrules.la \
	plugins/libpluginedge.la \
	src/slurm/libjobmarks.la \
	src/core/libcore.la \
	$(SLURM_LIBS)
endif
endif

# Needs the built plugins, and skips without them.
dist_check_SCRIPTS += %reldir%/plugin_symbols.t
TESTS += %reldir%/plugin_symbols.t

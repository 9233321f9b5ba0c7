# Plugins for Slurm, for exactly the release they are built against.
# Those for slurmctld are not linked with libslurm, whose functions slurmctld
# has itself; -z now makes a missing one fail at loading, not at the first call.
EXTRA_DIST += \
	%reldir%/job_submit/job_submit_gleaner.map \
	%reldir%/prep/prep_gleaner.map \
	%reldir%/sched/sched_gleaner.map \
	%reldir%/spank/spank_gleaner.map

if HAVE_SLURM
noinst_LTLIBRARIES += \
	%reldir%/libpluginedge.la \
	%reldir%/libjobrules.la \
	%reldir%/libscavenger.la
plugin_LTLIBRARIES += \
	%reldir%/job_submit_gleaner.la \
	%reldir%/prep_gleaner.la \
	%reldir%/sched_gleaner.la \
	%reldir%/spank_gleaner.la
# In a directory of its own, to be put first in PluginDir.
backfilldir = $(plugindir)/backfill
backfill_LTLIBRARIES = %reldir%/sched_backfill.la

plugin_ldflags = -module -avoid-version -shared -Wl,-z,now

# What the plugins inside slurmctld have in common.
%canon_reldir%_libpluginedge_la_SOURCES = \
	%reldir%/c_guard.hh \
	%reldir%/hint.hh \
	%reldir%/hint.cc \
	%reldir%/last_good.hh \
	%reldir%/last_good.cc \
	%reldir%/settings.hh \
	%reldir%/settings.cc \
	%reldir%/slurm_log.hh \
	%reldir%/slurm_symbols.hh
%canon_reldir%_libpluginedge_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_libpluginedge_la_LIBADD = src/core/libconfig.la

# What job_submit decides, without Slurm's types.
%canon_reldir%_libjobrules_la_SOURCES = \
	%reldir%/malleable_range.hh \
	%reldir%/malleable_range.cc \
	%reldir%/job_submit/arrival_notice.hh \
	%reldir%/job_submit/arrival_notice.cc \
	%reldir%/job_submit/job_request.hh \
	%reldir%/job_submit/lease_guard.hh \
	%reldir%/job_submit/lease_guard.cc \
	%reldir%/job_submit/lease_template.hh \
	%reldir%/job_submit/lease_template.cc \
	%reldir%/job_submit/our_names.hh \
	%reldir%/job_submit/our_names.cc
%canon_reldir%_libjobrules_la_LIBADD = src/proto/libticket.la

%canon_reldir%_job_submit_gleaner_la_SOURCES = \
	%reldir%/job_submit/job_desc.hh \
	%reldir%/job_submit/job_desc.cc \
	%reldir%/job_submit/job_submit_gleaner.cc
%canon_reldir%_job_submit_gleaner_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_job_submit_gleaner_la_LIBADD = \
	%reldir%/libjobrules.la \
	%reldir%/libpluginedge.la \
	src/slurm/libjobmarks.la
%canon_reldir%_job_submit_gleaner_la_LDFLAGS = $(plugin_ldflags) \
	-Wl,--version-script=$(top_srcdir)/%reldir%/job_submit/job_submit_gleaner.map

%canon_reldir%_prep_gleaner_la_SOURCES = %reldir%/prep/prep_gleaner.cc
%canon_reldir%_prep_gleaner_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_prep_gleaner_la_LIBADD = %reldir%/libpluginedge.la src/core/libcore.la
%canon_reldir%_prep_gleaner_la_LDFLAGS = $(plugin_ldflags) \
	-Wl,--version-script=$(top_srcdir)/%reldir%/prep/prep_gleaner.map

# The scavenger's logic.
%canon_reldir%_libscavenger_la_SOURCES = \
	%reldir%/sched/daemon_link.hh \
	%reldir%/sched/daemon_link.cc \
	%reldir%/sched/look_count.hh \
	%reldir%/sched/queue_look.hh \
	%reldir%/sched/queue_look.cc \
	%reldir%/sched/scavenger.hh \
	%reldir%/sched/scavenger.cc \
	%reldir%/sched/scavenger_loop.hh \
	%reldir%/sched/scavenger_loop.cc \
	%reldir%/sched/stock_backfill.hh \
	%reldir%/sched/stock_backfill.cc \
	%reldir%/sched/table_times.hh \
	%reldir%/sched/table_times.cc \
	%reldir%/sched/wake_socket.hh \
	%reldir%/sched/wake_socket.cc
%canon_reldir%_libscavenger_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_libscavenger_la_LIBADD = \
	%reldir%/libpluginedge.la \
	src/proto/libmessages.la \
	src/slurm/libslurmview.la

sched_ldflags = $(plugin_ldflags) \
	-Wl,--version-script=$(top_srcdir)/%reldir%/sched/sched_gleaner.map
%canon_reldir%_sched_gleaner_la_SOURCES = %reldir%/sched/sched_gleaner.cc
%canon_reldir%_sched_gleaner_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_sched_gleaner_la_LIBADD = %reldir%/libscavenger.la
%canon_reldir%_sched_gleaner_la_LDFLAGS = $(sched_ldflags)

%canon_reldir%_sched_backfill_la_SOURCES = %reldir%/sched/sched_gleaner.cc
%canon_reldir%_sched_backfill_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) -DGLEANER_AS_BACKFILL
%canon_reldir%_sched_backfill_la_LIBADD = %reldir%/libscavenger.la
%canon_reldir%_sched_backfill_la_LDFLAGS = $(sched_ldflags)

# Loaded by sbatch, srun, slurmd and slurmstepd.
%canon_reldir%_spank_gleaner_la_SOURCES = \
	%reldir%/malleable_range.hh \
	%reldir%/malleable_range.cc \
	%reldir%/spank/spank_gleaner.cc
%canon_reldir%_spank_gleaner_la_LIBADD = src/core/libcore.la
%canon_reldir%_spank_gleaner_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_spank_gleaner_la_LDFLAGS = $(plugin_ldflags) \
	-Wl,--version-script=$(top_srcdir)/%reldir%/spank/spank_gleaner.map
endif

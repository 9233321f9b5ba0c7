if HAVE_SLURM
noinst_LTLIBRARIES += \
	%reldir%/libjobmarks.la \
	%reldir%/libslurmview.la \
	%reldir%/libslurmcontrol.la \
	%reldir%/libsymbols.la

# How our jobs are marked; needs nothing of Slurm.
%canon_reldir%_libjobmarks_la_SOURCES = \
	%reldir%/admin_comment.hh \
	%reldir%/admin_comment.cc

# What slurmctld says.  Not linked with libslurm: in a plugin its functions
# come from slurmctld itself, and a second copy would have a second state.
%canon_reldir%_libslurmview_la_SOURCES = \
	%reldir%/backfill_cycles.hh \
	%reldir%/backfill_cycles.cc \
	%reldir%/compat.hh \
	%reldir%/job_needs.hh \
	%reldir%/job_needs.cc \
	%reldir%/known_table.hh \
	%reldir%/load.hh \
	%reldir%/load.cc \
	%reldir%/look_budget.hh \
	%reldir%/node_kinds.hh \
	%reldir%/node_kinds.cc \
	%reldir%/parted_nodes.hh \
	%reldir%/parted_nodes.cc \
	%reldir%/pending_jobs.hh \
	%reldir%/pending_jobs.cc \
	%reldir%/plan_memory.hh \
	%reldir%/plan_memory.cc \
	%reldir%/records.hh \
	%reldir%/records.cc \
	%reldir%/scan_pacer.hh \
	%reldir%/snapshot.hh \
	%reldir%/snapshot.cc \
	%reldir%/snapshot_memory.hh \
	%reldir%/text_memory.hh
%canon_reldir%_libslurmview_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_libslurmview_la_LIBADD = %reldir%/libjobmarks.la src/core/libcore.la

# For programs: the same, and what they ask Slurm to do.
%canon_reldir%_libslurmcontrol_la_SOURCES = \
	%reldir%/accounting_facts.hh \
	%reldir%/accounting_facts.cc \
	%reldir%/control.hh \
	%reldir%/control.cc \
	%reldir%/end_leases.hh \
	%reldir%/end_leases.cc \
	%reldir%/failure.hh \
	%reldir%/setup.hh \
	%reldir%/setup.cc \
	%reldir%/setup_accounting.cc \
	%reldir%/setup_exclusive.cc \
	%reldir%/setup_facts.hh \
	%reldir%/setup_facts.cc \
	%reldir%/setup_host.cc \
	%reldir%/setup_limits.cc \
	%reldir%/setup_parts.cc \
	%reldir%/setup_partitions.cc \
	%reldir%/setup_plugins.cc \
	%reldir%/setup_preempt.cc \
	%reldir%/setup_rules.hh \
	%reldir%/setup_scheduling.cc \
	%reldir%/signal_jobs.hh \
	%reldir%/signal_jobs.cc
%canon_reldir%_libslurmcontrol_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_libslurmcontrol_la_LIBADD = %reldir%/libslurmview.la $(SLURM_LIBS)

# Can a daemon load a plugin?  Needs nothing of Slurm.
%canon_reldir%_libsymbols_la_SOURCES = \
	%reldir%/symbols.hh \
	%reldir%/symbols.cc
%canon_reldir%_libsymbols_la_LIBADD = src/core/libcore.la
endif

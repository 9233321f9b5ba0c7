## src/daemon: see doc/architecture.md, "Folders".
# What gleanerd decides: no socket, file, clock or Slurm in it.
noinst_LTLIBRARIES += %reldir%/libbrain.la
%canon_reldir%_libbrain_la_SOURCES = \
	%reldir%/actions.hh \
	%reldir%/backoff.hh \
	%reldir%/brain.hh \
	%reldir%/brain.cc \
	%reldir%/brain_events.cc \
	%reldir%/caps.hh \
	%reldir%/caps.cc \
	%reldir%/coming_uses.hh \
	%reldir%/coming_uses.cc \
	%reldir%/count_free.hh \
	%reldir%/count_free.cc \
	%reldir%/cut.hh \
	%reldir%/cut.cc \
	%reldir%/demand.hh \
	%reldir%/demand.cc \
	%reldir%/eligibility.hh \
	%reldir%/eligibility.cc \
	%reldir%/freed_jobs.hh \
	%reldir%/freed_jobs.cc \
	%reldir%/importance.hh \
	%reldir%/importance.cc \
	%reldir%/job_on_node.hh \
	%reldir%/job_on_node.cc \
	%reldir%/job_shape.hh \
	%reldir%/job_shape.cc \
	%reldir%/lease_table.hh \
	%reldir%/lease_table.cc \
	%reldir%/node_holds.hh \
	%reldir%/node_holds.cc \
	%reldir%/pace_message.hh \
	%reldir%/pace_message.cc \
	%reldir%/part_ends.hh \
	%reldir%/part_ends.cc \
	%reldir%/part_places.hh \
	%reldir%/part_places.cc \
	%reldir%/places.hh \
	%reldir%/orders.hh \
	%reldir%/orders.cc \
	%reldir%/planner.hh \
	%reldir%/planner.cc \
	%reldir%/profile_reply.hh \
	%reldir%/profile_reply.cc \
	%reldir%/profile_shelf.hh \
	%reldir%/profile_shelf.cc \
	%reldir%/profile_visits.hh \
	%reldir%/profile_visits.cc \
	%reldir%/release_set.hh \
	%reldir%/release_set.cc \
	%reldir%/release_groups.hh \
	%reldir%/release_groups.cc \
	%reldir%/roster.hh \
	%reldir%/roster.cc \
	%reldir%/scaling_profile.hh \
	%reldir%/scaling_profile.cc \
	%reldir%/token_buckets.hh \
	%reldir%/status.hh \
	%reldir%/status.cc \
	%reldir%/supply.hh \
	%reldir%/supply.cc \
	%reldir%/supply_nodes.hh \
	%reldir%/supply_nodes.cc \
	%reldir%/why_not_more.hh \
	%reldir%/why_not_more.cc
%canon_reldir%_libbrain_la_LIBADD = \
	src/alloc/liballoc.la \
	src/alloc/libmilp_absent.la \
	src/profile/libprofile.la \
	src/proto/libproto.la \
	src/core/libconfig.la

if HAVE_GLEANERD
# The outside: sockets, files, Slurm's thread.
noinst_LTLIBRARIES += %reldir%/libgleanerd.la
%canon_reldir%_libgleanerd_la_SOURCES = \
	%reldir%/client_door.hh \
	%reldir%/client_door.cc \
	%reldir%/descriptor_budget.hh \
	%reldir%/descriptor_budget.cc \
	%reldir%/lease_ender.hh \
	%reldir%/lease_ender.cc \
	%reldir%/status_cache.hh \
	%reldir%/daemon.hh \
	%reldir%/daemon.cc \
	%reldir%/free_nodes_file.hh \
	%reldir%/free_nodes_file.cc \
	%reldir%/hole_source.hh \
	%reldir%/journal.hh \
	%reldir%/journal.cc \
	%reldir%/orders_file.hh \
	%reldir%/orders_file.cc \
	%reldir%/plugin_door.hh \
	%reldir%/plugin_door.cc \
	%reldir%/poller.hh \
	%reldir%/poller.cc \
	%reldir%/profile_store.hh \
	%reldir%/profile_store.cc \
	%reldir%/problem_log.hh \
	%reldir%/problem_log.cc \
	%reldir%/setup_watch.hh \
	%reldir%/setup_watch.cc \
	%reldir%/slurm_worker.hh \
	%reldir%/slurm_worker.cc \
	%reldir%/state_dir.hh \
	%reldir%/state_dir.cc
%canon_reldir%_libgleanerd_la_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
%canon_reldir%_libgleanerd_la_LIBADD = \
	%reldir%/libbrain.la \
	src/proto/libmungeauth.la \
	$(SQLITE_LIBS) -lpthread

sbin_PROGRAMS += %reldir%/gleanerd
%canon_reldir%_gleanerd_SOURCES = %reldir%/gleanerd.cc
%canon_reldir%_gleanerd_LDADD = \
	%reldir%/libgleanerd.la \
	src/slurm/libslurmcontrol.la

# systemd looks there with the prefixes /usr and /usr/local.
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = %reldir%/gleanerd.service
CLEANFILES += %reldir%/gleanerd.service
%reldir%/gleanerd.service: %reldir%/gleanerd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %reldir% && \
	sed 's|@sbindir[@]|$(sbindir)|' $(srcdir)/%reldir%/gleanerd.service.in >$@.tmp && \
	mv $@.tmp $@
endif

EXTRA_DIST += %reldir%/gleanerd.service.in
dist_pkgdata_DATA += %reldir%/gleaner.yaml
dist_man_MANS += doc/man8/gleanerd.8 doc/man5/gleaner.yaml.5

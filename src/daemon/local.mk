## src/daemon: see doc/architecture.md, "Folders".
# decisions: what gleanerd decides, without socket, file, clock, thread or Slurm.
noinst_LTLIBRARIES += %reldir%/libbrain.la
%canon_reldir%_libbrain_la_SOURCES = \
	%reldir%/decisions/actions.hh \
	%reldir%/decisions/backoff.hh \
	%reldir%/decisions/brain.hh \
	%reldir%/decisions/brain.cc \
	%reldir%/decisions/brain_events.cc \
	%reldir%/decisions/caps.hh \
	%reldir%/decisions/caps.cc \
	%reldir%/decisions/coming_uses.hh \
	%reldir%/decisions/coming_uses.cc \
	%reldir%/decisions/count_free.hh \
	%reldir%/decisions/count_free.cc \
	%reldir%/decisions/cut.hh \
	%reldir%/decisions/cut.cc \
	%reldir%/decisions/demand.hh \
	%reldir%/decisions/demand.cc \
	%reldir%/decisions/eligibility.hh \
	%reldir%/decisions/eligibility.cc \
	%reldir%/decisions/freed_jobs.hh \
	%reldir%/decisions/freed_jobs.cc \
	%reldir%/decisions/importance.hh \
	%reldir%/decisions/importance.cc \
	%reldir%/decisions/job_on_node.hh \
	%reldir%/decisions/job_on_node.cc \
	%reldir%/decisions/job_shape.hh \
	%reldir%/decisions/job_shape.cc \
	%reldir%/decisions/lease_table.hh \
	%reldir%/decisions/lease_table.cc \
	%reldir%/decisions/node_holds.hh \
	%reldir%/decisions/node_holds.cc \
	%reldir%/decisions/pace_message.hh \
	%reldir%/decisions/pace_message.cc \
	%reldir%/decisions/part_ends.hh \
	%reldir%/decisions/part_ends.cc \
	%reldir%/decisions/part_places.hh \
	%reldir%/decisions/part_places.cc \
	%reldir%/decisions/places.hh \
	%reldir%/decisions/orders.hh \
	%reldir%/decisions/orders.cc \
	%reldir%/decisions/planner.hh \
	%reldir%/decisions/planner.cc \
	%reldir%/decisions/profile_reply.hh \
	%reldir%/decisions/profile_reply.cc \
	%reldir%/decisions/profile_shelf.hh \
	%reldir%/decisions/profile_shelf.cc \
	%reldir%/decisions/profile_visits.hh \
	%reldir%/decisions/profile_visits.cc \
	%reldir%/decisions/release_set.hh \
	%reldir%/decisions/release_set.cc \
	%reldir%/decisions/release_groups.hh \
	%reldir%/decisions/release_groups.cc \
	%reldir%/decisions/roster.hh \
	%reldir%/decisions/roster.cc \
	%reldir%/decisions/scaling_profile.hh \
	%reldir%/decisions/scaling_profile.cc \
	%reldir%/decisions/token_buckets.hh \
	%reldir%/decisions/status_cache.hh \
	%reldir%/decisions/status.hh \
	%reldir%/decisions/status.cc \
	%reldir%/decisions/supply.hh \
	%reldir%/decisions/supply.cc \
	%reldir%/decisions/supply_nodes.hh \
	%reldir%/decisions/supply_nodes.cc \
	%reldir%/decisions/why_not_more.hh \
	%reldir%/decisions/why_not_more.cc
%canon_reldir%_libbrain_la_LIBADD = \
	src/alloc/liballoc.la \
	src/alloc/libmilp_absent.la \
	src/profile/libprofile.la \
	src/proto/libproto.la \
	src/core/libconfig.la

if HAVE_GLEANERD
# io: sockets, files, Slurm's thread; daemon.cc connects it with decisions.
noinst_LTLIBRARIES += %reldir%/libgleanerd.la
%canon_reldir%_libgleanerd_la_SOURCES = \
	%reldir%/io/client_door.hh \
	%reldir%/io/client_door.cc \
	%reldir%/io/descriptor_budget.hh \
	%reldir%/io/descriptor_budget.cc \
	%reldir%/io/lease_ender.hh \
	%reldir%/io/lease_ender.cc \
	%reldir%/daemon.hh \
	%reldir%/daemon.cc \
	%reldir%/io/free_nodes_file.hh \
	%reldir%/io/free_nodes_file.cc \
	%reldir%/io/hole_source.hh \
	%reldir%/io/journal.hh \
	%reldir%/io/journal.cc \
	%reldir%/io/orders_file.hh \
	%reldir%/io/orders_file.cc \
	%reldir%/io/plugin_door.hh \
	%reldir%/io/plugin_door.cc \
	%reldir%/io/poller.hh \
	%reldir%/io/poller.cc \
	%reldir%/io/profile_store.hh \
	%reldir%/io/profile_store.cc \
	%reldir%/io/problem_log.hh \
	%reldir%/io/problem_log.cc \
	%reldir%/io/setup_watch.hh \
	%reldir%/io/setup_watch.cc \
	%reldir%/io/slurm_worker.hh \
	%reldir%/io/slurm_worker.cc \
	%reldir%/io/state_dir.hh \
	%reldir%/io/state_dir.cc
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

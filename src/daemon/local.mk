## src/daemon: see doc/architecture.md, "Folders".
# What gleanerd decides: no socket, file, clock or Slurm in it.
noinst_LTLIBRARIES += %reldir%/libbrain.la
%canon_reldir%_libbrain_la_SOURCES = \
	%reldir%/actions.hh \
	%reldir%/backoff.hh \
	%reldir%/brain.hh \
	%reldir%/brain.cc \
	%reldir%/brain_events.cc \
	%reldir%/demand.hh \
	%reldir%/demand.cc \
	%reldir%/lease_table.hh \
	%reldir%/lease_table.cc \
	%reldir%/planner.hh \
	%reldir%/planner.cc \
	%reldir%/roster.hh \
	%reldir%/roster.cc \
	%reldir%/status.hh \
	%reldir%/status.cc
%canon_reldir%_libbrain_la_LIBADD = \
	src/alloc/liballoc.la \
	src/profile/libprofile.la \
	src/proto/libproto.la \
	src/core/libconfig.la

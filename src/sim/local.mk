## src/sim: see doc/architecture.md, "Folders".
noinst_LTLIBRARIES += %reldir%/libsim.la
%canon_reldir%_libsim_la_SOURCES = \
	%reldir%/backfill.hh \
	%reldir%/backfill.cc \
	%reldir%/engine.hh \
	%reldir%/engine.cc \
	%reldir%/hole_source.hh \
	%reldir%/idle_events.hh \
	%reldir%/idle_events.cc \
	%reldir%/input_file.hh \
	%reldir%/input_file.cc \
	%reldir%/knowledge.hh \
	%reldir%/knowledge.cc \
	%reldir%/outcome.hh \
	%reldir%/recorded_holes.hh \
	%reldir%/recorded_holes.cc \
	%reldir%/rigid_figures.hh \
	%reldir%/rigid_figures.cc \
	%reldir%/rules.hh \
	%reldir%/rules.cc \
	%reldir%/summary.hh \
	%reldir%/summary.cc \
	%reldir%/swf.hh \
	%reldir%/swf.cc \
	%reldir%/training_set.hh \
	%reldir%/training_set.cc \
	%reldir%/trivial.hh \
	%reldir%/trivial.cc \
	%reldir%/visits.hh \
	%reldir%/visits.cc
%canon_reldir%_libsim_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
%canon_reldir%_libsim_la_LIBADD = src/alloc/liballoc.la src/profile/libprofile.la src/core/libcore.la \
	$(ZLIB_LIBS)

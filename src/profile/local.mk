## src/profile: see doc/architecture.md, "Folders".
noinst_LTLIBRARIES += %reldir%/libprofile.la
%canon_reldir%_libprofile_la_SOURCES = \
	%reldir%/scaling_curve.hh \
	%reldir%/scaling_curve.cc

## src/alloc: see doc/architecture.md, "Folders".
noinst_LTLIBRARIES += %reldir%/liballoc.la
%canon_reldir%_liballoc_la_SOURCES = \
	%reldir%/allocator.hh \
	%reldir%/equal_share.hh \
	%reldir%/equal_share.cc \
	%reldir%/exact.hh \
	%reldir%/exact.cc \
	%reldir%/make_allocator.cc \
	%reldir%/placement.hh \
	%reldir%/placement.cc \
	%reldir%/problem_json.hh \
	%reldir%/problem_json.cc
%canon_reldir%_liballoc_la_LIBADD = src/core/libcore.la

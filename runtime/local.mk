## runtime: see doc/architecture.md, "Folders".

# What programs link with.  Only gleaner.h can be seen of it.
lib_LTLIBRARIES += %reldir%/libgleaner.la
gleanerincludedir = $(includedir)/gleaner
gleanerinclude_HEADERS = \
	%reldir%/include/gleaner/gleaner.h \
	%reldir%/include/gleaner/gleaner.hpp
%canon_reldir%_libgleaner_la_SOURCES = %reldir%/member/gleaner_api.cc
%canon_reldir%_libgleaner_la_LIBADD = %reldir%/member/libmember.la
%canon_reldir%_libgleaner_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
	-Wl,--version-script=$(top_srcdir)/%reldir%/libgleaner.map \
	-Wl,-z,now -pthread
EXTRA_%canon_reldir%_libgleaner_la_DEPENDENCIES = %reldir%/libgleaner.map
EXTRA_DIST += %reldir%/libgleaner.map

noinst_LTLIBRARIES += %reldir%/libcore.la %reldir%/libconfig.la

%canon_reldir%_libcore_la_SOURCES = \
	%reldir%/result.hh \
	%reldir%/clock.hh \
	%reldir%/clock.cc \
	%reldir%/cluster.hh \
	%reldir%/log.hh \
	%reldir%/log.cc \
	%reldir%/node_set.hh \
	%reldir%/node_set.cc

# Apart, so that what needs no gleaner.yaml does not link yaml-cpp.
%canon_reldir%_libconfig_la_SOURCES = \
	%reldir%/config.hh \
	%reldir%/config.cc
%canon_reldir%_libconfig_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
%canon_reldir%_libconfig_la_LIBADD = %reldir%/libcore.la $(YAML_LIBS)

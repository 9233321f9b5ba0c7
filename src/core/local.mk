noinst_LTLIBRARIES += %reldir%/libcore.la %reldir%/libconfig.la

%canon_reldir%_libcore_la_SOURCES = \
	%reldir%/result.hh \
	%reldir%/choice.hh \
	%reldir%/clock.hh \
	%reldir%/clock.cc \
	%reldir%/cluster.hh \
	%reldir%/contract.hh \
	%reldir%/copy_on_write.hh \
	%reldir%/event_log_parts.hh \
	%reldir%/event_log_parts.cc \
	%reldir%/features.hh \
	%reldir%/features.cc \
	%reldir%/fits.hh \
	%reldir%/fits.cc \
	%reldir%/free_nodes.hh \
	%reldir%/free_nodes.cc \
	%reldir%/importance.hh \
	%reldir%/importance.cc \
	%reldir%/lease_template.hh \
	%reldir%/lease_template.cc \
	%reldir%/local_disk.hh \
	%reldir%/local_disk.cc \
	%reldir%/log.hh \
	%reldir%/log_output.hh \
	%reldir%/log.cc \
	%reldir%/node_set.hh \
	%reldir%/node_set.cc \
	%reldir%/output_pattern.hh \
	%reldir%/output_pattern.cc \
	%reldir%/part_size.hh \
	%reldir%/quantile.hh \
	%reldir%/part_size.cc \
	%reldir%/place.hh \
	%reldir%/place.cc \
	%reldir%/quoted.hh \
	%reldir%/quoted.cc \
	%reldir%/resources.hh \
	%reldir%/resources.cc \
	%reldir%/slurm_time.hh \
	%reldir%/slurm_time.cc \
	%reldir%/throttle.hh

# Apart, so that what needs no gleaner.yaml does not link yaml-cpp.  It does
# not contain libcore.la: a plugin that got that twice could not be linked.
%canon_reldir%_libconfig_la_SOURCES = \
	%reldir%/config.hh \
	%reldir%/config.cc \
	%reldir%/slurm_user.hh \
	%reldir%/slurm_user.cc
%canon_reldir%_libconfig_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
%canon_reldir%_libconfig_la_LIBADD = $(YAML_LIBS)

## gleaner-coordinator: `gleaner run`, in the user's batch job.
if HAVE_MUNGE
noinst_LTLIBRARIES += %reldir%/libleasing.la
%canon_reldir%_libleasing_la_SOURCES = \
	%reldir%/checkpoint_pointer.hh \
	%reldir%/checkpoint_pointer.cc \
	%reldir%/daemon_link.hh \
	%reldir%/daemon_link.cc \
	%reldir%/departures.hh \
	%reldir%/departures.cc \
	%reldir%/event_log.hh \
	%reldir%/event_log.cc \
	%reldir%/event_log_head.hh \
	%reldir%/event_log_head.cc \
	%reldir%/lease_command.hh \
	%reldir%/lease_command.cc \
	%reldir%/lease_options.hh \
	%reldir%/lease_options.cc \
	%reldir%/lease_launcher.hh \
	%reldir%/lease_launcher.cc \
	%reldir%/listening.hh \
	%reldir%/listening.cc \
	%reldir%/local_nodes.hh \
	%reldir%/local_nodes.cc \
	%reldir%/node_life.hh \
	%reldir%/node_source.hh \
	%reldir%/pace_meter.hh \
	%reldir%/pace_meter.cc \
	%reldir%/progress_meter.hh \
	%reldir%/progress_meter.cc \
	%reldir%/replacements.hh \
	%reldir%/replacements.cc
%canon_reldir%_libleasing_la_LIBADD = \
	runtime/os/libchild.la runtime/os/libdisk.la runtime/os/libsecret.la src/proto/libwrappedsecret.la \
	src/proto/libmungeauth.la

pkglibexec_PROGRAMS += %reldir%/gleaner-coordinator
%canon_reldir%_gleaner_coordinator_SOURCES = \
	%reldir%/coordinator.hh \
	%reldir%/coordinator.cc \
	%reldir%/coordinator_members.cc \
	%reldir%/coordinator_nodes.cc \
	%reldir%/main.cc \
	%reldir%/options.hh \
	%reldir%/options.cc
%canon_reldir%_gleaner_coordinator_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBEXECDIR='"$(pkglibexecdir)"'
%canon_reldir%_gleaner_coordinator_LDADD = \
	%reldir%/libleasing.la runtime/generation/libgeneration.la src/core/libconfig.la
%canon_reldir%_gleaner_coordinator_LDFLAGS = -pthread
endif

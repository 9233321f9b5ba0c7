## gleaner-coordinator: `gleaner run`, in the user's batch job.
if HAVE_MUNGE
noinst_LTLIBRARIES += %reldir%/libleasing.la
%canon_reldir%_libleasing_la_SOURCES = \
	%reldir%/daemon_link.hh \
	%reldir%/daemon_link.cc \
	%reldir%/event_log.hh \
	%reldir%/event_log.cc \
	%reldir%/lease_command.hh \
	%reldir%/lease_command.cc \
	%reldir%/lease_launcher.hh \
	%reldir%/lease_launcher.cc
%canon_reldir%_libleasing_la_LIBADD = runtime/libchild.la src/proto/libmungeauth.la
endif

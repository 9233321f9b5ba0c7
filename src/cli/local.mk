## gleaner, the command.  libcli is what needs no socket and no database: its
## unit tests link it alone.
noinst_LTLIBRARIES += %reldir%/libcli.la
%canon_reldir%_libcli_la_SOURCES = \
	%reldir%/ask_sacct.cc \
	%reldir%/captured_command.hh \
	%reldir%/captured_command.cc \
	%reldir%/event_log.hh \
	%reldir%/event_log.cc \
	%reldir%/history.hh \
	%reldir%/history.cc \
	%reldir%/journal.hh \
	%reldir%/lease_ledger.cc \
	%reldir%/profile_view.hh \
	%reldir%/profile_view.cc \
	%reldir%/profile_picture.cc \
	%reldir%/rigid_log.hh \
	%reldir%/rigid_log.cc \
	%reldir%/observed.hh \
	%reldir%/observed.cc \
	%reldir%/own_program.hh \
	%reldir%/own_program.cc \
	%reldir%/sacct.hh \
	%reldir%/sacct.cc \
	%reldir%/sample_audit.hh \
	%reldir%/sample_audit.cc \
	%reldir%/status_view.hh \
	%reldir%/status_view.cc \
	%reldir%/summary.hh \
	%reldir%/summary.cc \
	%reldir%/summary_text.cc \
	%reldir%/sim.hh \
	%reldir%/sim.cc \
	%reldir%/sim_timeline.hh \
	%reldir%/sim_timeline.cc \
	%reldir%/solve.hh \
	%reldir%/solve.cc \
	%reldir%/solve_command.hh \
	%reldir%/solve_command.cc \
	%reldir%/svg.hh \
	%reldir%/svg.cc \
	%reldir%/text_table.hh \
	%reldir%/text_table.cc \
	%reldir%/time_spans.hh \
	%reldir%/time_spans.cc \
	%reldir%/timeline.hh \
	%reldir%/timeline.cc \
	%reldir%/timeline_layout.hh \
	%reldir%/timeline_layout.cc \
	%reldir%/timeline_title.hh \
	%reldir%/timeline_title.cc
%canon_reldir%_libcli_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DPKGLIBEXECDIR='"$(pkglibexecdir)"'
%canon_reldir%_libcli_la_LIBADD = src/sim/libsim.la src/alloc/liballoc.la \
	src/alloc/libmilp.la \
	src/core/libcore.la

bin_PROGRAMS += %reldir%/gleaner
%canon_reldir%_gleaner_SOURCES = \
	%reldir%/commands.hh \
	%reldir%/main.cc \
	%reldir%/sim_command.cc
%canon_reldir%_gleaner_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
%canon_reldir%_gleaner_LDADD = %reldir%/libcli.la -lpthread
if HAVE_GLEANERD
%canon_reldir%_gleaner_SOURCES += \
	%reldir%/admin_command.hh \
	%reldir%/admin_command.cc \
	%reldir%/cluster_commands.cc \
	%reldir%/daemon_query.hh \
	%reldir%/daemon_query.cc \
	%reldir%/journal.cc \
	%reldir%/profile_command.hh \
	%reldir%/profile_command.cc \
	%reldir%/report_command.hh \
	%reldir%/report_command.cc \
	%reldir%/status_command.hh \
	%reldir%/status_command.cc
%canon_reldir%_gleaner_LDADD += src/core/libconfig.la \
	src/proto/libmungeauth.la $(SQLITE_LIBS)
else
%canon_reldir%_gleaner_SOURCES += %reldir%/no_cluster_commands.cc
endif

dist_man_MANS += doc/man1/gleaner.1

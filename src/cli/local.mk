## gleaner, the command: a folder per command, or a file where one is enough.  libcli is what needs no socket and no database: its
## unit tests link it alone.
noinst_LTLIBRARIES += %reldir%/libcli.la
%canon_reldir%_libcli_la_SOURCES = \
	%reldir%/axes.hh \
	%reldir%/axes.cc \
	%reldir%/own_program.hh \
	%reldir%/own_program.cc \
	%reldir%/svg.hh \
	%reldir%/svg.cc \
	%reldir%/text_table.hh \
	%reldir%/text_table.cc \
	%reldir%/profile/profile_picture.cc \
	%reldir%/profile/profile_view.hh \
	%reldir%/profile/profile_view.cc \
	%reldir%/report/ask_sacct.cc \
	%reldir%/report/captured_command.hh \
	%reldir%/report/captured_command.cc \
	%reldir%/report/event_log.hh \
	%reldir%/report/event_log.cc \
	%reldir%/report/history.hh \
	%reldir%/report/history.cc \
	%reldir%/report/journal.hh \
	%reldir%/report/lease_ledger.cc \
	%reldir%/report/observed.hh \
	%reldir%/report/observed.cc \
	%reldir%/report/rigid_log.hh \
	%reldir%/report/rigid_log.cc \
	%reldir%/report/sacct.hh \
	%reldir%/report/sacct.cc \
	%reldir%/report/sample_audit.hh \
	%reldir%/report/sample_audit.cc \
	%reldir%/report/summary.hh \
	%reldir%/report/summary.cc \
	%reldir%/report/summary_text.cc \
	%reldir%/report/time_spans.hh \
	%reldir%/report/time_spans.cc \
	%reldir%/report/timeline.hh \
	%reldir%/report/timeline.cc \
	%reldir%/report/timeline_layout.hh \
	%reldir%/report/timeline_layout.cc \
	%reldir%/report/timeline_title.hh \
	%reldir%/report/timeline_title.cc \
	%reldir%/sim/sim_timeline.hh \
	%reldir%/sim/sim_timeline.cc \
	%reldir%/sim/simulate.hh \
	%reldir%/sim/simulate.cc \
	%reldir%/solve/solve_case.hh \
	%reldir%/solve/solve_case.cc \
	%reldir%/status/status_view.hh \
	%reldir%/status/status_view.cc
%canon_reldir%_libcli_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DPKGLIBEXECDIR='"$(pkglibexecdir)"'
%canon_reldir%_libcli_la_LIBADD = src/sim/libsim.la src/alloc/liballoc.la \
	src/alloc/libmilp.la \
	src/core/libcore.la

bin_PROGRAMS += %reldir%/gleaner
%canon_reldir%_gleaner_SOURCES = \
	%reldir%/commands.hh \
	%reldir%/commands.cc \
	%reldir%/main.cc \
	%reldir%/sim/sim_command.hh \
	%reldir%/sim/sim_command.cc \
	%reldir%/solve/solve_command.hh \
	%reldir%/solve/solve_command.cc
%canon_reldir%_gleaner_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
%canon_reldir%_gleaner_LDADD = %reldir%/libcli.la -lpthread
if HAVE_GLEANERD
%canon_reldir%_gleaner_CPPFLAGS += -DHAVE_GLEANERD
%canon_reldir%_gleaner_SOURCES += \
	%reldir%/admin_command.hh \
	%reldir%/admin_command.cc \
	%reldir%/daemon_query.hh \
	%reldir%/daemon_query.cc \
	%reldir%/profile/profile_command.hh \
	%reldir%/profile/profile_command.cc \
	%reldir%/report/journal.cc \
	%reldir%/report/report_command.hh \
	%reldir%/report/report_command.cc \
	%reldir%/status/status_command.hh \
	%reldir%/status/status_command.cc
%canon_reldir%_gleaner_LDADD += src/core/libconfig.la \
	src/proto/libmungeauth.la $(SQLITE_LIBS)
endif

dist_man_MANS += doc/man1/gleaner.1

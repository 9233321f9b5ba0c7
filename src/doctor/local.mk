## gleaner-doctor: `gleaner doctor`.  A program of its own, so that `gleaner`
## does not link libslurm.
if HAVE_SLURM
noinst_LTLIBRARIES += %reldir%/libdoctor.la
%canon_reldir%_libdoctor_la_SOURCES = \
	%reldir%/findings_view.hh \
	%reldir%/findings_view.cc \
	%reldir%/lease_ends.hh \
	%reldir%/lease_ends.cc \
	%reldir%/plugin_files.hh \
	%reldir%/plugin_files.cc
if HAVE_GLEANERD
%canon_reldir%_libdoctor_la_SOURCES += %reldir%/lease_journal.cc
else
%canon_reldir%_libdoctor_la_SOURCES += %reldir%/lease_journal_absent.cc
endif
%canon_reldir%_libdoctor_la_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
%canon_reldir%_libdoctor_la_LIBADD = src/slurm/libsymbols.la \
	src/core/libconfig.la $(SQLITE_LIBS)

pkglibexec_PROGRAMS += %reldir%/gleaner-doctor
%canon_reldir%_gleaner_doctor_SOURCES = %reldir%/doctor.cc
%canon_reldir%_gleaner_doctor_LDADD = \
	%reldir%/libdoctor.la \
	src/slurm/libslurmcontrol.la \
	src/core/libconfig.la \
	src/core/libcore.la
endif

## gleaner-doctor: `gleaner doctor`.  A program of its own, so that `gleaner`
## does not link libslurm.
if HAVE_SLURM
noinst_LTLIBRARIES += %reldir%/libdoctor.la
%canon_reldir%_libdoctor_la_SOURCES = \
	%reldir%/findings_view.hh \
	%reldir%/findings_view.cc \
	%reldir%/plugin_files.hh \
	%reldir%/plugin_files.cc
%canon_reldir%_libdoctor_la_LIBADD = src/slurm/libsymbols.la

pkglibexec_PROGRAMS += %reldir%/gleaner-doctor
%canon_reldir%_gleaner_doctor_SOURCES = %reldir%/doctor.cc
%canon_reldir%_gleaner_doctor_LDADD = \
	%reldir%/libdoctor.la \
	src/slurm/libslurmcontrol.la \
	src/core/libconfig.la \
	src/core/libcore.la
endif

## Recorded cases, a folder each: a new one needs no line here.  See README.md.
EXTRA_DIST += %reldir%/README.md %reldir%/cases %reldir%/record \
	%reldir%/report %reldir%/sim %reldir%/slurm %reldir%/solve
dist_check_SCRIPTS += %reldir%/recorded.t
TESTS += %reldir%/recorded.t

if HAVE_SLURM
check_PROGRAMS += %reldir%/replay_slurm %reldir%/record_slurm
%canon_reldir%_replay_slurm_SOURCES = %reldir%/replay_slurm.cc %reldir%/slurm_fields.hh
%canon_reldir%_replay_slurm_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_replay_slurm_LDADD = src/slurm/libslurmview.la \
	src/core/libconfig.la src/proto/libproto.la src/core/libcore.la $(SLURM_LIBS)
%canon_reldir%_record_slurm_SOURCES = %reldir%/record_slurm.cc %reldir%/slurm_fields.hh
%canon_reldir%_record_slurm_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_record_slurm_LDADD = src/slurm/libslurmcontrol.la \
	src/core/libcore.la $(SLURM_LIBS)
endif

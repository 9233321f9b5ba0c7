if HAVE_CATCH2
if HAVE_SLURM
check_PROGRAMS += %reldir%/test_slurm
TESTS += %reldir%/test_slurm
%canon_reldir%_test_slurm_SOURCES = \
	%reldir%/admin_comment_test.cc \
	%reldir%/known_table_test.cc \
	%reldir%/load_test.cc \
	%reldir%/parted_nodes_test.cc \
	%reldir%/plan_memory_test.cc \
	%reldir%/records_test.cc \
	%reldir%/scan_pacer_test.cc \
	%reldir%/setup_test.cc \
	%reldir%/snapshot_memory_test.cc \
	%reldir%/snapshot_test.cc \
	%reldir%/symbols_test.cc
%canon_reldir%_test_slurm_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_test_slurm_LDADD = \
	test/unit/libtestmain.la \
	src/slurm/libslurmcontrol.la \
	src/slurm/libsymbols.la \
	src/core/libconfig.la \
	src/core/libcore.la

# With functions of libslurm in its place that test_slurm has others of.
check_PROGRAMS += %reldir%/test_control
TESTS += %reldir%/test_control
%canon_reldir%_test_control_SOURCES = %reldir%/control_test.cc
%canon_reldir%_test_control_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_test_control_LDADD = \
	test/unit/libtestmain.la \
	src/slurm/libslurmcontrol.la \
	src/core/libconfig.la \
	src/core/libcore.la
endif
endif

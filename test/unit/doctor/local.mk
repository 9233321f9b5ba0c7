## Unit tests of the doctor.
if HAVE_CATCH2
if HAVE_SLURM
check_PROGRAMS += %reldir%/test_doctor
TESTS += %reldir%/test_doctor
%canon_reldir%_test_doctor_SOURCES = %reldir%/lease_ends_test.cc
%canon_reldir%_test_doctor_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_doctor_LDADD = test/unit/libtestmain.la \
	src/doctor/libdoctor.la src/slurm/libslurmcontrol.la src/core/libconfig.la \
	src/core/libcore.la
endif
endif

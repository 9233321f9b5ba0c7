## Unit tests of runtime.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_plane
TESTS += %reldir%/test_plane
%canon_reldir%_test_plane_SOURCES = %reldir%/plane_test.cc
%canon_reldir%_test_plane_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_plane_LDADD = test/unit/libtestmain.la runtime/libcomm.la
%canon_reldir%_test_plane_LDFLAGS = -pthread
endif

## Unit tests of a member, and of the library as programs have it.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_member
TESTS += %reldir%/test_member
%canon_reldir%_test_member_SOURCES = \
	%reldir%/data_service_test.cc \
	%reldir%/whereabouts_test.cc
%canon_reldir%_test_member_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_member_LDADD = test/unit/libtestmain.la runtime/member/libmember.la
%canon_reldir%_test_member_LDFLAGS = -pthread

# With the library as programs have it: nothing but gleaner.h is visible.
check_PROGRAMS += %reldir%/test_cpp_face
TESTS += %reldir%/test_cpp_face
%canon_reldir%_test_cpp_face_SOURCES = %reldir%/cpp_face_test.cc
%canon_reldir%_test_cpp_face_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_cpp_face_LDADD = test/unit/libtestmain.la runtime/libgleaner.la

check_PROGRAMS += %reldir%/test_device
TESTS += %reldir%/test_device
%canon_reldir%_test_device_SOURCES = %reldir%/device_training_test.cc
%canon_reldir%_test_device_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-DMODULES='"$(abs_top_builddir)/test/unit/runtime/comm/walled/.libs"'
%canon_reldir%_test_device_LDADD = test/unit/libtestmain.la runtime/libgleaner.la -ldl
endif

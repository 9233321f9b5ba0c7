## Unit tests of what the runtime takes from Linux.
if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_os
TESTS += %reldir%/test_os
%canon_reldir%_test_os_SOURCES = \
	%reldir%/child_processes_test.cc \
	%reldir%/cpu_list_test.cc \
	%reldir%/disk_queue_test.cc \
	%reldir%/handed_secret_test.cc \
	%reldir%/line_file_test.cc \
	%reldir%/owned_directory_test.cc
%canon_reldir%_test_os_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_os_LDADD = test/unit/libtestmain.la runtime/os/libchild.la runtime/os/libdisk.la runtime/os/libsecret.la \
	src/core/libcore.la
%canon_reldir%_test_os_LDFLAGS = -pthread
endif

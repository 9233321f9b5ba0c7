## Unit tests of the data planes, and what every plane promises.
if HAVE_CATCH2
# What is needed to test a data plane, wherever its members are.
plane_members = \
	%reldir%/planes/member.hh \
	%reldir%/planes/member.cc \
	%reldir%/planes/members.hh \
	%reldir%/planes/members.cc \
	%reldir%/planes/device_memory.hh \
	%reldir%/planes/host_memory.cc \
	%reldir%/planes/numbers.hh \
	%reldir%/planes/numbers.cc \
	%reldir%/planes/operations.hh \
	%reldir%/planes/operations.cc \
	%reldir%/planes/plane_under_test.hh
plane_test_sources = %reldir%/plane_test.cc $(plane_members)

check_PROGRAMS += %reldir%/test_plane
TESTS += %reldir%/test_plane
%canon_reldir%_test_plane_SOURCES = $(plane_test_sources) \
	%reldir%/element_test.cc \
	%reldir%/gpu_module_test.cc \
	%reldir%/plane_choice_test.cc \
	%reldir%/planes/comm_hosts.hh \
	%reldir%/planes/comm_hosts.cc \
	%reldir%/planes/planes_here.cc \
	%reldir%/planes/walled_device.hh \
	%reldir%/planes/walled_device.cc \
	%reldir%/tcp/handshake_test.cc \
	%reldir%/tcp/layout_test.cc \
	%reldir%/tcp/plane_tcp_test.cc \
	%reldir%/tcp/team.hh
%canon_reldir%_test_plane_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-I$(srcdir)/%reldir%
if HAVE_GPU
%canon_reldir%_test_plane_CPPFLAGS += -DGPU_MODULE_BUILT
endif
%canon_reldir%_test_plane_LDADD = test/unit/libtestmain.la runtime/comm/libcomm.la \
	runtime/comm_host/libcommdirectory.la src/proto/libproto.la
%canon_reldir%_test_plane_LDFLAGS = -pthread

# In place of libgleaner_gpu.so: a device that this machine has.
check_LTLIBRARIES += %reldir%/walled/libgleaner_gpu.la
%canon_reldir%_walled_libgleaner_gpu_la_SOURCES = \
	%reldir%/planes/walled_device.hh \
	%reldir%/planes/walled_device.cc \
	%reldir%/walled/module.cc
%canon_reldir%_walled_libgleaner_gpu_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/%reldir%
%canon_reldir%_walled_libgleaner_gpu_la_LIBADD = runtime/comm/libcomm.la src/proto/libproto.la
%canon_reldir%_walled_libgleaner_gpu_la_LDFLAGS = -module -avoid-version \
	-rpath $(abs_builddir)/%reldir%/walled -pthread
endif

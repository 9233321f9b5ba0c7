## Unit tests of runtime.
dist_check_SCRIPTS += %reldir%/manual.t
TESTS += %reldir%/manual.t

if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_generation
TESTS += %reldir%/test_generation
%canon_reldir%_test_generation_SOURCES = \
	%reldir%/ledger_test.cc \
	%reldir%/membership_health_test.cc \
	%reldir%/membership_test.cc \
	%reldir%/model_test.cc \
	%reldir%/notation.hh \
	%reldir%/notation.cc \
	%reldir%/sampler_test.cc \
	%reldir%/session_end_test.cc \
	%reldir%/session_loss_test.cc \
	%reldir%/session_test.cc \
	%reldir%/session_under_test.hh \
	%reldir%/simulation.hh \
	%reldir%/simulation.cc \
	%reldir%/simulation_check.cc \
	%reldir%/simulation_member.cc \
	%reldir%/step_shares_test.cc \
	%reldir%/stuck_test.cc \
	%reldir%/trainer_notation.hh
%canon_reldir%_test_generation_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_generation_LDADD = test/unit/libtestmain.la runtime/libgeneration.la
%canon_reldir%_test_generation_LDFLAGS = -pthread

check_PROGRAMS += %reldir%/test_plane
TESTS += %reldir%/test_plane
# What is needed to test a data plane, wherever its members are.
plane_test_sources = \
	%reldir%/plane_test.cc \
	%reldir%/planes/member.hh \
	%reldir%/planes/member.cc \
	%reldir%/planes/members.hh \
	%reldir%/planes/members.cc \
	%reldir%/planes/device_memory.hh \
	%reldir%/planes/host_memory.cc \
	%reldir%/planes/numbers.hh \
	%reldir%/planes/numbers.cc \
	%reldir%/planes/plane_under_test.hh
%canon_reldir%_test_plane_SOURCES = $(plane_test_sources) \
	%reldir%/comm_ring_test.cc \
	%reldir%/element_test.cc \
	%reldir%/gpu_module_test.cc \
	%reldir%/plane_choice_test.cc \
	%reldir%/planes/comm_hosts.hh \
	%reldir%/planes/comm_hosts.cc \
	%reldir%/planes/planes_here.cc \
	%reldir%/planes/walled_device.hh \
	%reldir%/planes/walled_device.cc
%canon_reldir%_test_plane_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-I$(srcdir)/%reldir%
%canon_reldir%_test_plane_LDADD = \
	test/unit/libtestmain.la runtime/libcomm.la runtime/libchild.la src/proto/libproto.la
%canon_reldir%_test_plane_LDFLAGS = -pthread

if HAVE_MPI
check_PROGRAMS += %reldir%/test_comm_host
TESTS += %reldir%/test_comm_host
%canon_reldir%_test_comm_host_SOURCES = \
	%reldir%/comm_host/comm_directory_test.cc \
	%reldir%/comm_host/comm_environment_test.cc \
	%reldir%/comm_host/comm_host_test.cc \
	%reldir%/planes/comm_hosts.hh \
	%reldir%/planes/comm_hosts.cc \
	%reldir%/planes/member.hh \
	%reldir%/planes/member.cc \
	%reldir%/planes/members.hh \
	%reldir%/planes/members.cc \
	%reldir%/planes/numbers.hh \
	%reldir%/planes/numbers.cc \
	%reldir%/planes/device_memory.hh \
	%reldir%/planes/host_memory.cc \
	%reldir%/planes/plane_under_test.hh
%canon_reldir%_test_comm_host_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-I$(srcdir)/%reldir%
%canon_reldir%_test_comm_host_LDADD = \
	test/unit/libtestmain.la runtime/libcomm.la runtime/comm_host/libcommhost.la
%canon_reldir%_test_comm_host_LDFLAGS = -pthread
endif

check_PROGRAMS += %reldir%/test_member
TESTS += %reldir%/test_member
%canon_reldir%_test_member_SOURCES = \
	%reldir%/checkpoint_file_test.cc \
	%reldir%/data_service_test.cc \
	%reldir%/fixed_point_test.cc \
	%reldir%/gradients_test.cc \
	%reldir%/planes/walled_device.hh \
	%reldir%/planes/walled_device.cc \
	%reldir%/readiness_test.cc \
	%reldir%/registry_test.cc \
	%reldir%/shard_sums_test.cc \
	%reldir%/state_digest_test.cc \
	%reldir%/whereabouts_test.cc
%canon_reldir%_test_member_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-I$(srcdir)/%reldir%
%canon_reldir%_test_member_LDADD = test/unit/libtestmain.la runtime/libmember.la
%canon_reldir%_test_member_LDFLAGS = -pthread

# With the library as programs have it: nothing but gleaner.h is visible.
check_PROGRAMS += %reldir%/test_cpp_face
TESTS += %reldir%/test_cpp_face
%canon_reldir%_test_cpp_face_SOURCES = %reldir%/cpp_face_test.cc
%canon_reldir%_test_cpp_face_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_cpp_face_LDADD = test/unit/libtestmain.la runtime/libgleaner.la

# In place of libgleaner_gpu.so: a device that this machine has.
check_LTLIBRARIES += %reldir%/walled/libgleaner_gpu.la
%canon_reldir%_walled_libgleaner_gpu_la_SOURCES = \
	%reldir%/planes/walled_device.hh \
	%reldir%/planes/walled_device.cc \
	%reldir%/walled/module.cc
%canon_reldir%_walled_libgleaner_gpu_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/%reldir%
%canon_reldir%_walled_libgleaner_gpu_la_LIBADD = runtime/libcomm.la src/proto/libproto.la
%canon_reldir%_walled_libgleaner_gpu_la_LDFLAGS = -module -avoid-version \
	-rpath $(abs_builddir)/%reldir%/walled -pthread

check_PROGRAMS += %reldir%/test_device
TESTS += %reldir%/test_device
%canon_reldir%_test_device_SOURCES = %reldir%/device_training_test.cc
%canon_reldir%_test_device_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS) \
	-DMODULES='"$(abs_builddir)/%reldir%/walled/.libs"'
%canon_reldir%_test_device_LDADD = test/unit/libtestmain.la runtime/libgleaner.la -ldl
endif

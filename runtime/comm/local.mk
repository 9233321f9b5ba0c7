## Data planes.
noinst_LTLIBRARIES += %reldir%/libcomm.la
%canon_reldir%_libcomm_la_SOURCES = \
	%reldir%/comm.hh \
	%reldir%/comm.cc \
	%reldir%/comm_self.hh \
	%reldir%/comm_self.cc \
	%reldir%/comm_slowed.hh \
	%reldir%/comm_slowed.cc \
	%reldir%/comm_staged.hh \
	%reldir%/comm_staged.cc \
	%reldir%/comm_tcp.hh \
	%reldir%/comm_tcp.cc \
	%reldir%/device.hh \
	%reldir%/element.hh \
	%reldir%/element.cc \
	%reldir%/gpu_module.hh \
	%reldir%/gpu_module.cc \
	%reldir%/half.hh \
	%reldir%/half_runs.hh \
	%reldir%/half_runs.cc \
	%reldir%/tcp/connecting.hh \
	%reldir%/tcp/connecting.cc \
	%reldir%/tcp/contact.hh \
	%reldir%/tcp/contact.cc \
	%reldir%/tcp/doubling_sum.hh \
	%reldir%/tcp/doubling_sum.cc \
	%reldir%/tcp/handshake.hh \
	%reldir%/tcp/handshake.cc \
	%reldir%/tcp/layout.hh \
	%reldir%/tcp/layout.cc \
	%reldir%/tcp/link.hh \
	%reldir%/tcp/link.cc \
	%reldir%/tcp/node_memory.hh \
	%reldir%/tcp/node_memory.cc \
	%reldir%/tcp/node_sum.hh \
	%reldir%/tcp/node_sum.cc \
	%reldir%/tcp/ring_sum.hh \
	%reldir%/tcp/ring_sum.cc \
	%reldir%/tcp/collectives.hh \
	%reldir%/tcp/collectives.cc \
	%reldir%/tcp/pair_links.hh \
	%reldir%/tcp/pair_links.cc \
	%reldir%/tcp/stop_signal.hh \
	%reldir%/tcp/traffic.hh \
	%reldir%/tcp/traffic.cc \
	%reldir%/vectorised.hh
%canon_reldir%_libcomm_la_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
%canon_reldir%_libcomm_la_LIBADD = \
	runtime/os/libdescriptors.la runtime/os/libtcp.la -ldl
if HAVE_MPI
%canon_reldir%_libcomm_la_SOURCES += \
	%reldir%/comm_host_link.hh \
	%reldir%/comm_host_link.cc \
	%reldir%/comm_mpi.hh \
	%reldir%/comm_mpi.cc \
	%reldir%/comm_request.hh
%canon_reldir%_libcomm_la_CPPFLAGS += -DHAVE_MPI
endif

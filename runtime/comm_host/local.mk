## gleaner-comm-host and the processes it starts: the Open MPI data plane.
if HAVE_MPI
noinst_LTLIBRARIES += %reldir%/libcommhost.la
%canon_reldir%_libcommhost_la_SOURCES = \
	%reldir%/comm_environment.hh \
	%reldir%/comm_environment.cc \
	%reldir%/comm_host.hh \
	%reldir%/comm_host.cc \
	%reldir%/pmix_server.hh \
	%reldir%/pmix_server.cc
%canon_reldir%_libcommhost_la_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS)
%canon_reldir%_libcommhost_la_LIBADD = \
	runtime/libchild.la runtime/libdescriptors.la src/proto/libproto.la $(PMIX_LIBS)

pkglibexec_PROGRAMS += %reldir%/gleaner-comm-host
%canon_reldir%_gleaner_comm_host_SOURCES = %reldir%/main.cc
%canon_reldir%_gleaner_comm_host_LDADD = %reldir%/libcommhost.la
%canon_reldir%_gleaner_comm_host_LDFLAGS = -pthread

# The only program that is linked with MPI.
pkglibexec_PROGRAMS += %reldir%/gleaner-comm-mpi
%canon_reldir%_gleaner_comm_mpi_SOURCES = %reldir%/comm_process.cc
%canon_reldir%_gleaner_comm_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -DOMPI_SKIP_MPICXX
%canon_reldir%_gleaner_comm_mpi_LDADD = runtime/libcomm.la src/proto/libproto.la $(MPI_LIBS)
endif

## gleaner-comm-host and the processes it starts: the Open MPI data plane.
# The agent knows as well where a comm host listens.
noinst_LTLIBRARIES += %reldir%/libcommdirectory.la
%canon_reldir%_libcommdirectory_la_SOURCES = \
	%reldir%/comm_directory.hh \
	%reldir%/comm_directory.cc
%canon_reldir%_libcommdirectory_la_LIBADD = runtime/os/libchild.la

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
	%reldir%/libcommdirectory.la runtime/os/libdescriptors.la src/proto/libproto.la $(PMIX_LIBS)

pkglibexec_PROGRAMS += %reldir%/gleaner-comm-host
%canon_reldir%_gleaner_comm_host_SOURCES = %reldir%/main.cc
%canon_reldir%_gleaner_comm_host_LDADD = %reldir%/libcommhost.la
%canon_reldir%_gleaner_comm_host_LDFLAGS = -pthread

# The only program that is linked with MPI.
pkglibexec_PROGRAMS += %reldir%/gleaner-comm-mpi
%canon_reldir%_gleaner_comm_mpi_SOURCES = %reldir%/comm_process.cc
%canon_reldir%_gleaner_comm_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -DOMPI_SKIP_MPICXX
%canon_reldir%_gleaner_comm_mpi_LDADD = runtime/comm/libcomm.la src/proto/libproto.la $(MPI_LIBS)
endif

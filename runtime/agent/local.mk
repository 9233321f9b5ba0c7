## gleaner-agent: on every leased node.
noinst_LTLIBRARIES += %reldir%/libagent.la
%canon_reldir%_libagent_la_SOURCES = \
	%reldir%/agent.hh \
	%reldir%/agent.cc \
	%reldir%/binding.hh \
	%reldir%/gpu_place.hh \
	%reldir%/gpu_place.cc \
	%reldir%/comm_host_starter.hh \
	%reldir%/comm_host_starter.cc \
	%reldir%/gpu_share.hh \
	%reldir%/gpu_share.cc \
	%reldir%/labelled_output.hh \
	%reldir%/labelled_output.cc \
	%reldir%/places.hh
%canon_reldir%_libagent_la_CPPFLAGS = $(AM_CPPFLAGS)
%canon_reldir%_libagent_la_LIBADD = \
	runtime/comm_host/libcommdirectory.la runtime/os/libdisk.la runtime/os/libsecret.la \
	src/proto/libwrappedsecret.la src/proto/libproto.la
if HAVE_HWLOC
%canon_reldir%_libagent_la_SOURCES += %reldir%/binding.cc
%canon_reldir%_libagent_la_CPPFLAGS += $(HWLOC_CFLAGS)
%canon_reldir%_libagent_la_LIBADD += $(HWLOC_LIBS)
else
%canon_reldir%_libagent_la_SOURCES += %reldir%/binding_none.cc
endif

pkglibexec_PROGRAMS += %reldir%/gleaner-agent
%canon_reldir%_gleaner_agent_SOURCES = %reldir%/main.cc
%canon_reldir%_gleaner_agent_LDADD = %reldir%/libagent.la
%canon_reldir%_gleaner_agent_LDFLAGS = -pthread

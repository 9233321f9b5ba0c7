## gleaner-agent: on every leased node.
noinst_LTLIBRARIES += %reldir%/libagent.la
%canon_reldir%_libagent_la_SOURCES = \
	%reldir%/agent.hh \
	%reldir%/agent.cc \
	%reldir%/gpu_share.hh \
	%reldir%/gpu_share.cc
%canon_reldir%_libagent_la_LIBADD = runtime/libchild.la src/proto/libproto.la

pkglibexec_PROGRAMS += %reldir%/gleaner-agent
%canon_reldir%_gleaner_agent_SOURCES = %reldir%/main.cc
%canon_reldir%_gleaner_agent_LDADD = %reldir%/libagent.la
%canon_reldir%_gleaner_agent_LDFLAGS = -pthread

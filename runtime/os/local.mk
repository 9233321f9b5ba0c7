## What Linux offers, for every program of the runtime.

# What processes of one node share: memory, open files.
noinst_LTLIBRARIES += %reldir%/libdescriptors.la
%canon_reldir%_libdescriptors_la_SOURCES = \
	%reldir%/descriptors.hh \
	%reldir%/descriptors.cc \
	%reldir%/fd.hh \
	%reldir%/memory.hh \
	%reldir%/memory.cc \
	%reldir%/memory_pages.hh \
	%reldir%/signals.hh

# How a training's secret gets from one to the next.
noinst_LTLIBRARIES += %reldir%/libsecret.la
%canon_reldir%_libsecret_la_SOURCES = \
	%reldir%/handed_secret.hh \
	%reldir%/handed_secret.cc

# Connections to other nodes.
noinst_LTLIBRARIES += %reldir%/libtcp.la
%canon_reldir%_libtcp_la_SOURCES = \
	%reldir%/tcp_silence.hh \
	%reldir%/tcp_silence.cc

# Processes we start, and what they leave behind.
noinst_LTLIBRARIES += %reldir%/libchild.la
%canon_reldir%_libchild_la_SOURCES = \
	%reldir%/child_processes.hh \
	%reldir%/child_processes.cc \
	%reldir%/cpu_list.hh \
	%reldir%/cpu_list.cc \
	%reldir%/owned_directory.hh \
	%reldir%/owned_directory.cc

# Files that may stand still.
noinst_LTLIBRARIES += %reldir%/libdisk.la
%canon_reldir%_libdisk_la_SOURCES = \
	%reldir%/disk_queue.hh \
	%reldir%/disk_queue.cc \
	%reldir%/line_file.hh \
	%reldir%/line_file.cc

## runtime: see doc/architecture.md, "Folders".

# The protocol: no I/O, no clock, no threads.
noinst_LTLIBRARIES += %reldir%/libgeneration.la
%canon_reldir%_libgeneration_la_SOURCES = \
	%reldir%/membership.hh \
	%reldir%/sampler.hh \
	%reldir%/sampler.cc \
	%reldir%/session.hh
%canon_reldir%_libgeneration_la_LIBADD = src/proto/libproto.la

# Data planes.
noinst_LTLIBRARIES += %reldir%/libcomm.la
%canon_reldir%_libcomm_la_SOURCES = \
	%reldir%/comm.hh \
	%reldir%/comm.cc \
	%reldir%/comm_self.hh \
	%reldir%/comm_self.cc
%canon_reldir%_libcomm_la_CPPFLAGS = $(AM_CPPFLAGS)
%canon_reldir%_libcomm_la_LIBADD =
if HAVE_GLOO
%canon_reldir%_libcomm_la_SOURCES += \
	%reldir%/comm_gloo.hh \
	%reldir%/comm_gloo.cc \
	%reldir%/comm_gloo_device.hh \
	%reldir%/comm_gloo_device.cc \
	%reldir%/comm_ring.hh \
	%reldir%/signals.hh
%canon_reldir%_libcomm_la_CPPFLAGS += -DHAVE_GLOO $(GLOO_CPPFLAGS)
%canon_reldir%_libcomm_la_LIBADD += $(GLOO_LIBS)
endif

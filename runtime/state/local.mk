## What the training is made of: its state, its gradients, its checkpoints.
# libproto comes with libgeneration alone: libgleaner.so would get a second
# copy otherwise.
noinst_LTLIBRARIES += %reldir%/libstate.la
%canon_reldir%_libstate_la_SOURCES = \
	%reldir%/checkpoint_file.hh \
	%reldir%/checkpoint_file.cc \
	%reldir%/fixed_point.hh \
	%reldir%/fixed_point.cc \
	%reldir%/gradients.hh \
	%reldir%/gradients.cc \
	%reldir%/readiness.hh \
	%reldir%/registry.hh \
	%reldir%/registry.cc \
	%reldir%/sealed_socket.hh \
	%reldir%/sealed_socket.cc \
	%reldir%/shard_sums.hh \
	%reldir%/shard_sums.cc \
	%reldir%/state_digest.hh \
	%reldir%/state_digest.cc \
	%reldir%/state_portions.hh \
	%reldir%/state_portions.cc \
	%reldir%/state_snapshot.hh \
	%reldir%/state_snapshot.cc \
	%reldir%/transfer.hh \
	%reldir%/transfer.cc
%canon_reldir%_libstate_la_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
%canon_reldir%_libstate_la_LIBADD = runtime/comm/libcomm.la $(CRYPTO_LIBS)

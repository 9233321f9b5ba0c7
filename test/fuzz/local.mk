## Fuzzers: `make check-fuzz` builds them with clang, in a folder of its own, and
## runs each for some seconds; see %reldir%/run --help for longer.
EXTRA_DIST += %reldir%/run %reldir%/target.hh %reldir%/round_trip.hh \
	%reldir%/config_fuzz.cc %reldir%/corpus/config.txt \
	%reldir%/daemon_messages_fuzz.cc %reldir%/corpus/daemon_messages.txt \
	%reldir%/frames_fuzz.cc %reldir%/corpus/frames.txt \
	%reldir%/lease_template_fuzz.cc %reldir%/corpus/lease_template.txt \
	%reldir%/malleable_range_fuzz.cc %reldir%/corpus/malleable_range.txt \
	%reldir%/node_set_fuzz.cc %reldir%/corpus/node_set.txt \
	%reldir%/runtime_messages_fuzz.cc %reldir%/corpus/runtime_messages.txt \
	%reldir%/tickets_fuzz.cc %reldir%/corpus/tickets.txt

check-fuzz:
	$(srcdir)/%reldir%/run --build $(builddir)/fuzz
.PHONY: check-fuzz

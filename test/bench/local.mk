## Measurements: `make bench-alloc OUT=DIR` prints a table and writes
## DIR/bench-alloc.json.  Nothing here runs in make check.
EXTRA_PROGRAMS += %reldir%/alloc_bench
%canon_reldir%_alloc_bench_SOURCES = \
	%reldir%/alloc_bench.cc \
	%reldir%/problem_families.hh \
	%reldir%/problem_families.cc
%canon_reldir%_alloc_bench_LDADD = src/alloc/liballoc.la src/alloc/libmilp.la

OUT = bench-results
bench-alloc: %reldir%/alloc_bench
	test/bench/alloc_bench '$(OUT)'
.PHONY: bench-alloc

## `make bench-sim DATA=DIR OUT=DIR`: DIR holds idle, trainers and swf.
bench-sim: src/cli/gleaner
	$(srcdir)/%reldir%/bench-sim '$(DATA)' '$(OUT)' src/cli/gleaner
.PHONY: bench-sim
EXTRA_DIST += %reldir%/bench-sim

## How long a training stands still while joiners get the state:
## test/bench/bench-switch BUILD-DIR FROM TO STATE-MIB REPETITIONS.
EXTRA_DIST += %reldir%/bench-switch

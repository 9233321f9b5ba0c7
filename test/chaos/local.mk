## Chaos: a training whose nodes, links and processes fail at random.
chaos_files = \
	%reldir%/chaos \
	%reldir%/audit.py \
	%reldir%/disk.py \
	%reldir%/faults.py \
	%reldir%/network.py \
	%reldir%/parted \
	%reldir%/processes.py \
	%reldir%/training.py
EXTRA_DIST += $(chaos_files)
chaos_tests = %reldir%/short.t %reldir%/parted.t
dist_check_SCRIPTS += $(chaos_tests)
TESTS += $(chaos_tests)

## `make chaos SEED=7 MINUTES=5 COMM=tcp OUT=DIR`; writes DIR/chaos-tcp-7.json.
SEED = 1
MINUTES = 5
COMM = tcp
chaos: all test/runtime/trainer
	python3 $(srcdir)/%reldir%/chaos --build . --seed $(SEED) \
		--minutes $(MINUTES) --comm $(COMM) --out '$(OUT)'
.PHONY: chaos

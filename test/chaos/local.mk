## Chaos: a training whose nodes, links and processes fail at random.
chaos_files = \
	%reldir%/chaos \
	%reldir%/audit.py \
	%reldir%/faults.py \
	%reldir%/network.py \
	%reldir%/processes.py \
	%reldir%/training.py
EXTRA_DIST += $(chaos_files)
dist_check_SCRIPTS += %reldir%/short.t
TESTS += %reldir%/short.t

## `make chaos SEED=7 MINUTES=5 COMM=gloo OUT=DIR`; writes DIR/chaos-gloo-7.json.
SEED = 1
MINUTES = 5
COMM = gloo
chaos: all test/runtime/trainer
	python3 $(srcdir)/%reldir%/chaos --build . --seed $(SEED) \
		--minutes $(MINUTES) --comm $(COMM) --out '$(OUT)'
.PHONY: chaos

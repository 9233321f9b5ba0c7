## Chaos: a training whose nodes, links and processes fail at random.
chaos_files = \
	%reldir%/chaos \
	%reldir%/audit.py \
	%reldir%/disk.py \
	%reldir%/faults.py \
	%reldir%/network.py \
	%reldir%/parted \
	%reldir%/python_trainer.py \
	%reldir%/processes.py \
	%reldir%/training.py
EXTRA_DIST += $(chaos_files)
chaos_tests = %reldir%/short.t %reldir%/short_python.t %reldir%/parted.t
dist_check_SCRIPTS += $(chaos_tests)
TESTS += $(chaos_tests)

## `make chaos SEED=7 MINUTES=5 PLANE=tcp OUT=DIR`; writes DIR/chaos-tcp-7.json.
## PROGRAM=python: of trainings in PyTorch; writes DIR/chaos-tcp-python-7.json.
SEED = 1
MINUTES = 5
COMM = tcp
PLANE = $(COMM)
PROGRAM = c
chaos: all test/runtime/trainer
	python='$(PYTHON)'; $${python:-python3} $(srcdir)/%reldir%/chaos --build . --seed $(SEED) \
		--minutes $(MINUTES) --comm $(PLANE) --program $(PROGRAM) --out '$(OUT)'
.PHONY: chaos

## Measurements: `make bench-alloc OUT=DIR` prints a table and writes
## DIR/bench-alloc.json; BENCH_ALLOC= passes --quick, --kinds.  make check runs what ends in .t.
EXTRA_PROGRAMS += %reldir%/alloc_bench
%canon_reldir%_alloc_bench_SOURCES = \
	%reldir%/alloc_bench.cc \
	%reldir%/kind_problems.hh \
	%reldir%/kind_problems.cc \
	%reldir%/problem_families.hh \
	%reldir%/problem_families.cc
%canon_reldir%_alloc_bench_LDADD = src/alloc/liballoc.la src/alloc/libmilp.la

OUT = bench-results
bench-alloc: %reldir%/alloc_bench
	test/bench/alloc_bench '$(OUT)' $(BENCH_ALLOC)
.PHONY: bench-alloc

## `make bench-sim DATA=DIR OUT=DIR`: DIR holds idle, trainers and swf.
## Tables go to bench-sim.json, what knowledge is worth to bench-sim-rows.json;
## BENCH_SIM="--sets mix --numbers 10 30" does fewer of the latter.
bench-sim: src/cli/gleaner
	$(srcdir)/%reldir%/bench-sim '$(DATA)' '$(OUT)' src/cli/gleaner
	$(srcdir)/%reldir%/sim_rows.py '$(DATA)' '$(OUT)' src/cli/gleaner $(BENCH_SIM)
BENCH_SIM =
.PHONY: bench-sim
EXTRA_DIST += %reldir%/bench-sim %reldir%/diverse_set.py %reldir%/sim_rows.py

## What Gleaner costs slurmctld, and how fast gleanerd decides: `make
## bench-slurmctld OUT=DIR` prints tables and writes DIR/bench-slurmctld.json.
## BENCH_SLURMCTLD= passes options, see bench-slurmctld --help.
if HAVE_SLURM
if HAVE_GLEANERD
EXTRA_PROGRAMS += \
	%reldir%/brain_bench \
	%reldir%/look_bench \
	%reldir%/slurmctld/slurm_calls
%canon_reldir%_brain_bench_SOURCES = %reldir%/brain_bench.cc
%canon_reldir%_brain_bench_LDADD = src/daemon/libbrain.la
%canon_reldir%_look_bench_SOURCES = %reldir%/look_bench.cc
%canon_reldir%_look_bench_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_look_bench_LDADD = src/slurm/libslurmcontrol.la src/proto/libproto.la $(SLURM_LIBS)
%canon_reldir%_slurmctld_slurm_calls_SOURCES = %reldir%/slurmctld/slurm_calls.cc
%canon_reldir%_slurmctld_slurm_calls_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%canon_reldir%_slurmctld_slurm_calls_LDADD = src/slurm/libslurmcontrol.la $(SLURM_LIBS)
endif
endif
BENCH_SLURMCTLD =
bench-slurmctld: all %reldir%/brain_bench %reldir%/slurmctld/slurm_calls
	$(srcdir)/%reldir%/bench-slurmctld --build . --out '$(OUT)' $(BENCH_SLURMCTLD)
.PHONY: bench-slurmctld
EXTRA_DIST += \
	%reldir%/bench-slurmctld \
	%reldir%/slurmctld/cluster.py \
	%reldir%/slurmctld/measure.py \
	%reldir%/slurmctld/posed_slurmds.py

## Measurements of the runtime: `make bench-runtime OUT=DIR` prints tables and
## writes DIR/bench-runtime.json.  PARTS= and REPS= do less.
check_PROGRAMS += %reldir%/runtime/step_program
%canon_reldir%_runtime_step_program_SOURCES = %reldir%/runtime/step_program.c
%canon_reldir%_runtime_step_program_LDADD = runtime/libgleaner.la

check_PROGRAMS += %reldir%/runtime/plane_bench
%canon_reldir%_runtime_plane_bench_SOURCES = %reldir%/runtime/plane_bench.cc
%canon_reldir%_runtime_plane_bench_LDADD = runtime/comm/libcomm.la src/proto/libproto.la
%canon_reldir%_runtime_plane_bench_LDFLAGS = -pthread

if HAVE_MUNGE
check_PROGRAMS += %reldir%/runtime/light_nodes
%canon_reldir%_runtime_light_nodes_SOURCES = \
	%reldir%/runtime/light_link.hh \
	%reldir%/runtime/light_nodes.cc \
	%reldir%/runtime/light_training.hh \
	%reldir%/runtime/light_training.cc
%canon_reldir%_runtime_light_nodes_LDADD = \
	runtime/os/libsecret.la src/proto/libproto.la
%canon_reldir%_runtime_light_nodes_LDFLAGS = -pthread
endif

if HAVE_GLOO
check_PROGRAMS += %reldir%/runtime/allreduce_bench
%canon_reldir%_runtime_allreduce_bench_SOURCES = \
	%reldir%/runtime/allreduce_bench.cc \
	%reldir%/runtime/meeting.hh \
	%reldir%/runtime/rival.hh \
	%reldir%/runtime/rival_gloo.cc
%canon_reldir%_runtime_allreduce_bench_CPPFLAGS = $(AM_CPPFLAGS) $(GLOO_CPPFLAGS)
%canon_reldir%_runtime_allreduce_bench_LDADD = runtime/comm/libcomm.la src/proto/libproto.la $(GLOO_LIBS)
%canon_reldir%_runtime_allreduce_bench_LDFLAGS = -pthread
endif

if HAVE_MPI
check_PROGRAMS += %reldir%/runtime/allreduce_bench_mpi
%canon_reldir%_runtime_allreduce_bench_mpi_SOURCES = \
	%reldir%/runtime/allreduce_bench.cc \
	%reldir%/runtime/meeting.hh \
	%reldir%/runtime/rival.hh \
	%reldir%/runtime/rival_mpi.cc \
	test/unit/runtime/comm/planes/comm_hosts.hh \
	test/unit/runtime/comm/planes/comm_hosts.cc
%canon_reldir%_runtime_allreduce_bench_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) \
	-DOMPI_SKIP_MPICXX -I$(top_srcdir)/test/unit/runtime/comm
%canon_reldir%_runtime_allreduce_bench_mpi_LDADD = \
	runtime/comm/libcomm.la runtime/comm_host/libcommdirectory.la src/proto/libproto.la $(MPI_LIBS)
%canon_reldir%_runtime_allreduce_bench_mpi_LDFLAGS = -pthread

## How long the Open MPI plane's processes take to start; made by name.
EXTRA_PROGRAMS += %reldir%/runtime/mpi_bench
%canon_reldir%_runtime_mpi_bench_SOURCES = \
	%reldir%/runtime/mpi_bench.cc \
	test/unit/runtime/comm/planes/comm_hosts.hh \
	test/unit/runtime/comm/planes/comm_hosts.cc
%canon_reldir%_runtime_mpi_bench_CPPFLAGS = $(AM_CPPFLAGS) \
	-I$(top_srcdir)/test/unit/runtime/comm
%canon_reldir%_runtime_mpi_bench_LDADD = \
	runtime/comm/libcomm.la runtime/comm_host/libcommdirectory.la src/proto/libproto.la
%canon_reldir%_runtime_mpi_bench_LDFLAGS = -pthread
endif

bench_runtime_programs = \
	runtime/libgleaner.la \
	runtime/coordinator/gleaner-coordinator \
	runtime/agent/gleaner-agent \
	%reldir%/runtime/plane_bench \
	%reldir%/runtime/step_program
if HAVE_MUNGE
bench_runtime_programs += %reldir%/runtime/light_nodes
endif
if HAVE_GLOO
bench_runtime_programs += %reldir%/runtime/allreduce_bench
endif
if HAVE_MPI
bench_runtime_programs += \
	runtime/comm_host/gleaner-comm-host \
	runtime/comm_host/gleaner-comm-mpi \
	%reldir%/runtime/allreduce_bench_mpi
endif
PARTS = resize loss allreduce network fixed deterministic loader scale
REPS = 20
BENCH_RUNTIME =
bench-runtime: $(bench_runtime_programs)
	$(srcdir)/%reldir%/bench-runtime --build . --source '$(srcdir)' \
		--out '$(OUT)' --parts '$(PARTS)' --reps '$(REPS)' $(BENCH_RUNTIME)
.PHONY: bench-runtime
dist_check_SCRIPTS += %reldir%/bench_runtime.t
TESTS += %reldir%/bench_runtime.t
EXTRA_DIST += \
	%reldir%/bench-runtime \
	%reldir%/figures.py \
	%reldir%/runtime-plot \
	%reldir%/runtime-report \
	%reldir%/runtime/allreduce.py \
	%reldir%/runtime/char_lm_steps.py \
	%reldir%/runtime/pytorch.py \
	%reldir%/runtime/pytorch_steps.py \
	%reldir%/runtime/deterministic.py \
	%reldir%/runtime/fixed.py \
	%reldir%/runtime/fixed_program.py \
	%reldir%/runtime/gleaner_training.py \
	%reldir%/runtime/loader.py \
	%reldir%/runtime/loader_steps.py \
	%reldir%/runtime/loss.py \
	%reldir%/runtime/joiners.py \
	%reldir%/runtime/network.py \
	%reldir%/runtime/process_end.py \
	%reldir%/runtime/resize.py \
	%reldir%/runtime/scale.py \
	%reldir%/runtime/setting.py \
	%reldir%/runtime/step_log.py \
	%reldir%/runtime/tables.py \
	%reldir%/runtime/torchrun_entry.py \
	%reldir%/runtime/torchrun_events.py \
	%reldir%/runtime/torchrun_training.py \
	%reldir%/runtime/torchrun_worker.py

## What rigid jobs feel: `make bench-harm DATA=DIR OUT=DIR` as root prints tables
## and writes DIR/bench-harm.json and DIR/bench-harm.svg.  DATA holds swf.
## QUICK=1 does one short row, ROWS="plain epilog" those.
harm_files = \
	%reldir%/bench-harm \
	%reldir%/harm-plot \
	%reldir%/harm-report \
	%reldir%/harm/cluster.py \
	%reldir%/harm/compression.py \
	%reldir%/harm/daemon_journal.py \
	%reldir%/harm/harvest.py \
	%reldir%/harm/history.py \
	%reldir%/harm/idle_wait.py \
	%reldir%/harm/job \
	%reldir%/harm/job_log.py \
	%reldir%/harm/losses.py \
	%reldir%/harm/measurement.py \
	%reldir%/harm/meter.py \
	%reldir%/harm/node_names.py \
	%reldir%/harm/occupancy.py \
	%reldir%/harm/one_run.py \
	%reldir%/harm/options.py \
	%reldir%/harm/picture.py \
	%reldir%/harm/placements.py \
	%reldir%/harm/replay.py \
	%reldir%/harm/row_result.py \
	%reldir%/harm/rows.py \
	%reldir%/harm/sdiag.py \
	%reldir%/harm/slurm_release.py \
	%reldir%/harm/slurmctld_log.py \
	%reldir%/harm/spans.py \
	%reldir%/harm/starts.py \
	%reldir%/harm/submitter.py \
	%reldir%/harm/svg.py \
	%reldir%/harm/tables.py \
	%reldir%/harm/tap.py \
	%reldir%/harm/ticks.py \
	%reldir%/harm/trainings.py \
	%reldir%/harm/user.py
EXTRA_DIST += $(harm_files)
harm_tests = %reldir%/harm_figures.t %reldir%/harm_logs.t
dist_check_SCRIPTS += $(harm_tests)
TESTS += $(harm_tests)

QUICK =
ROWS =
BENCH_HARM =
## DATA is also Automake's, for the files that `all` has to make.
bench-harm: %reldir%/runtime/step_program
	$(MAKE) $(AM_MAKEFLAGS) --quiet all DATA=
	$(srcdir)/%reldir%/bench-harm --build . --data '$(DATA)' --out '$(OUT)' \
		--rows '$(ROWS)' --seed '$(SEED)' $(if $(QUICK),--quick) $(BENCH_HARM)
.PHONY: bench-harm

## What a search on idle nodes finds, and when: `make bench-campaign DATA=DIR OUT=DIR`
## as root prints a table and writes DIR/bench-campaign.json and .svg.  DATA holds
## swf.  QUICK=1 does one short search, SEEDS="1 2" those.
check_PROGRAMS += %reldir%/campaign/search_program
%canon_reldir%_campaign_search_program_SOURCES = %reldir%/campaign/search_program.c
%canon_reldir%_campaign_search_program_LDADD = runtime/libgleaner.la -lm
EXTRA_DIST += \
	%reldir%/bench-campaign \
	%reldir%/campaign/one_search.py \
	%reldir%/campaign/peer.py \
	%reldir%/campaign/search_figures.py \
	%reldir%/campaign/search_picture.py
dist_check_SCRIPTS += %reldir%/search_figures.t
TESTS += %reldir%/search_figures.t

SEEDS = 1 2 3 4 5 6 7 8 9 10
BENCH_CAMPAIGN =
bench-campaign: %reldir%/campaign/search_program
	$(MAKE) $(AM_MAKEFLAGS) --quiet all DATA=
	$(srcdir)/%reldir%/bench-campaign --build . --data '$(DATA)' --out '$(OUT)' \
		--seeds '$(SEEDS)' $(if $(QUICK),--quick) $(BENCH_CAMPAIGN)
.PHONY: bench-campaign

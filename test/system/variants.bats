#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The other ways to set a site up: each lends nodes and takes them back.

load helpers
load training

setup_file() { take_turn; }
setup() { skip_if_impossible; }
teardown() {
  show_logs_on_failure
  stop_cluster
}

# One round of what Gleaner is for.
lends_and_takes_back() {
  use_cluster
  make_training 400000 40 1 1
  job=$(submit_training 1-3)
  wait_until 25 "size_is $job 3"
  rigid=$(rigid 2)
  wait_until 8 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 1"
  wait_for_steps "$job" 5
  scancel "$rigid"
  wait_until 25 "size_is $job 3"
}

@test "scavenger: poll, without our scheduler in slurmctld" {
  start_cluster --nodes 3 --gpus 1 --scavenger poll
  lends_and_takes_back
}

@test "policy: equal_share" {
  start_cluster --nodes 3 --gpus 1 --set policy=equal_share
  lends_and_takes_back
}

@test "slurmctld and gleanerd as the user slurm" {
  id slurm >/dev/null || skip "no user slurm"
  start_cluster --nodes 3 --gpus 1 --slurm-user slurm
  lends_and_takes_back
}

@test "under the name sched/backfill, heterogeneous jobs work too" {
  start_cluster --nodes 3 --gpus 1 --sched backfill
  lends_and_takes_back
  cancel_all
  run as_user timeout 20 srun -N1 true : -N1 true
  [[ $status = 0 ]]
}

@test "two clusters with Gleaner side by side" {
  start_cluster --nodes 3 --gpus 1
  "$minicluster" start "$cluster/other" --nodes 2
  lends_and_takes_back
  [[ $(SLURM_CONF=$cluster/other/etc/slurm.conf slurm squeue -h -a) = "" ]]
  "$minicluster" stop "$cluster/other"
}

# Programs of the Open MPI plane that run for our user; the kernel cuts their name.
comm_processes() { pids -u "$test_user" -x gleaner-comm-mp | wc -l; }

@test "gradients summed by Open MPI" {
  [[ -x $build/runtime/comm_host/gleaner-comm-mpi ]] ||
    skip "built without Open MPI"
  start_cluster --nodes 3 --gpus 1
  use_cluster
  make_training 400000 40 1 1
  sed -i 's|gleaner run |&--comm=mpi |' "$work/train.sh"
  job=$(submit_training 1-3)
  wait_until 25 "size_is $job 3"
  wait_for_steps "$job" 5
  [[ $(comm_processes) = 3 ]]
  rigid=$(rigid 1)
  wait_until 8 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 2"
  wait_for_steps "$job" 5
  cancel_all
  wait_until 10 no_leases
  wait_until 5 '(($(comm_processes) == 0))'
}

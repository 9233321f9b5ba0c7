#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A backup controller takes over: leases stay, and new ones follow.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 4 --gpus 1 --backup
  make_training 4000000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

# What Slurm has not saved, which it does every few seconds, a controller that is
# killed takes with it.
wait_until_saved() {
  touch "$work/now"
  slurm scontrol update JobId="$job" Comment=saved
  wait_until 20 "[[ $cluster/slurm/state/slurmctld/job_state -nt $work/now ]]"
}

# The backup answers, as the controller.
taken_over() { timeout 20 squeue -h -a >/dev/null; }

@test "leases outlive a fail-over, and new ones follow within a minute" {
  job=$(submit_training 1-4)
  wait_until 30 "size_is $job 4"
  before=$(leases | sort)
  wait_until_saved
  kill -KILL "$(pid_of slurmctld)"
  wait_for_steps "$job" 20
  wait_until 60 taken_over
  [[ $(leases | sort) = "$before" ]]
  size_is "$job" 4
  [[ -z $(events_of "$job" member_lost) ]]

  # A job takes two nodes, and gives them back.
  rigid=$(rigid 2)
  wait_until 60 "job_is $rigid RUNNING"
  wait_until 20 "size_is $job 2"
  slurm scancel "$rigid"
  wait_until 60 "size_is $job 4"
}

@test "the first controller takes back, and leases stay again" {
  job=$(submit_training 1-4)
  wait_until 60 "size_is $job 4"
  before=$(leases | sort)
  "$minicluster" restart "$cluster/slurm" slurmctld
  wait_for_steps "$job" 20
  wait_until 60 "[[ \$(slurm scontrol ping) = *primary*' is UP'* ]]"
  [[ $(leases | sort) = "$before" ]]
  slurm scancel "$(lease_on n1)"
  wait_until 60 "[[ \$(lease_on n1) ]]"
}

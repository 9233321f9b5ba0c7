#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Nodes, members, leases and the training itself may end at any moment.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 4 --gpus 1 --slurm SlurmdTimeout=10
  make_training 400000 40 1 1
}
teardown_file() { stop_cluster; }
setup() {
  use_cluster
  job=$(submit_training 1-3)
  wait_until 20 "size_is $job 3"
}
teardown() {
  show_logs_on_failure
  cancel_all
}

member_pid() { # NODE
  sed -n 's/^PID=//p' "$(grep -lx "SLURM_NODELIST=$1" "$work/run-$job"/member-* | tail -n 1)"
}
one_node() { training_nodes "$job" | cut -d, -f2; }
lost_nothing() { job_is "$job" RUNNING && [[ -z $(events_of "$job" rollback) ]]; }

@test "a killed node does not stop the training" {
  node=$(one_node)
  step=$(step_of "$job")
  # slurmd, the step daemon, agent and member: all that runs there.
  lease=$(lease_on "$node")
  kill -KILL "$(pid_of "$node")"
  signal KILL -f "slurmstepd: \[$lease\." || :
  kill -KILL "$(member_pid "$node")" || :
  for pid in $(grep -lzx "SLURM_JOB_ID=$lease" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
    kill -KILL "$pid" || :
  done
  wait_until 10 "[[ ,\$(training_nodes $job), != *,$node,* ]]"
  wait_for_steps "$job" 20
  lost_nothing
  "$minicluster" restart "$cluster/slurm" "$node"
  wait_until 60 "slurm sinfo -h -p main -t idle,alloc,mix -o %D | grep -qx 4"
}

@test "a killed member does not stop the training" {
  kill -KILL "$(member_pid "$(one_node)")"
  wait_until 10 "[[ \$(events_of $job member_lost) ]]"
  wait_for_steps "$job" 20
  lost_nothing
  wait_until 30 "size_is $job 3"
}

@test "a stopped member is found and replaced" {
  pid=$(member_pid "$(one_node)")
  kill -STOP "$pid"
  wait_until 30 "[[ \$(events_of $job member_lost) ]]"
  wait_for_steps "$job" 20
  lost_nothing
  wait_until 5 "[[ ! -e /proc/$pid ]]"
}

@test "the user may cancel a lease" {
  as_user timeout 10 scancel "$(lease_on "$(one_node)")"
  wait_until 10 "[[ \$(events_of $job member_lost) || \$(events_of $job node_left) ]]"
  wait_for_steps "$job" 20
  lost_nothing
  wait_until 30 "size_is $job 3"
}

@test "scancel of the training frees every lease within 2 s" {
  [[ $(lease_count) = 3 ]]
  as_user timeout 10 scancel "$job"
  wait_until 2 no_leases
  wait_until 10 "[[ \$(job_end $job) = CANCELLED ]]"
  wait_until 2 "! pids -u $test_user trainer"
}

@test "kill -9 of the coordinator ends members and leases" {
  signal KILL -u "$test_user" -f '^[^ ]*gleaner-coordinator'
  wait_until 5 no_leases
  wait_until 5 "! pids -u $test_user trainer"
}

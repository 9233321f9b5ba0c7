#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Leases do not eat the limits of the user who trains.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 4 --gpus 1 --accounting
  make_training 400000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

@test "a user with MaxJobs=2 whose training holds three leases runs a rigid job" {
  slurm sacctmgr -i modify user "$test_user" where account=users set MaxJobs=2
  job=$(submit_training 3-3)
  wait_until 30 "size_is $job 3"
  [[ $(lease_count) = 3 ]]
  rigid=$(rigid 1)
  wait_until 8 "job_is $rigid RUNNING"
  # The limit itself is at work: a third job of the user's own waits.
  third=$(submitted -p head --wrap 'sleep 60')
  wait_until 10 "[[ \$(squeue -h -j $third -o %r) = *MaxJobs* ]]"
}

@test "leases are in the accounting as the user's, on account and QOS gleaner" {
  job=$(submit_training 2-2)
  wait_until 30 "size_is $job 2"
  scancel "$job"
  wait_until 10 no_leases
  wait_until 20 '[[ $(slurm sacct -n -X -a -S now-5minutes -A gleaner -o user%20,qos%20,partition | grep -c "$test_user *gleaner *lease") -ge 2 ]]'
}

@test "an account whose use is free cannot be had by making it one's default" {
  slurm sacctmgr -i modify user "$test_user" set DefaultAccount=gleaner
  for words in '' '--reservation=gleaner' '-A gleaner' '--qos=gleaner' '-p head'; do
    # shellcheck disable=SC2086
    run as_user timeout 20 sbatch $words --output=/dev/null --wrap true
    echo "sbatch $words: $output"
    [[ $status != 0 ]]
  done
  # Nor is a training charged to it.
  run as_user timeout 20 sbatch --malleable=1-2 --output=/dev/null --wrap true
  [[ $status != 0 ]]
  [[ -z $(slurm squeue -h -a -t all -A gleaner -p main,head) ]]
  # What names an account of the user's own runs as ever, with its leases.
  job=$(submit_training 2-2 -A users)
  wait_until 30 "size_is $job 2"
  slurm sacctmgr -i modify user "$test_user" set DefaultAccount=users
}

@test "a user without an association with account gleaner is told how to get one" {
  slurm sacctmgr -i delete user "$test_user" account=gleaner
  job=$(submit_training 1-2)
  wait_until 30 "grep -rqs 'sacctmgr' $work/$job.out $work/run-$job $cluster/slurm/log/gleanerd.log"
  "$minicluster" adduser "$cluster/slurm" "$test_user"
}

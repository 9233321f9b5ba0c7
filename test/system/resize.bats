#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A training grows onto idle nodes and leaves them when Slurm wants them.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 4 --gpus 1
  make_training 400000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

@test "a submitted training grows to all the nodes it can use" {
  job=$(submit_training 1-3)
  wait_until 20 "size_is $job 3"
  [[ $(nodes_of "$job") = head ]]
  [[ $(lease_count) = 3 ]]
}

@test "members see the leased node and its GPUs" {
  job=$(submit_training 4-4 --gres=gpu:1)
  wait_until 20 "size_is $job 4"
  seen=$(sed -n 's/^SLURM_NODELIST=//p' "$work/run-$job"/member-* | sort | tr '\n' ' ')
  [[ $seen = "n1 n2 n3 n4 " ]]
  [[ $(sed -n 's/^CUDA_VISIBLE_DEVICES=//p' "$work/run-$job"/member-* | sort -u) = 0 ]]
  for member in "$work/run-$job"/member-*; do
    node=$(sed -n 's/^SLURM_NODELIST=//p' "$member")
    [[ $(sed -n 's/^SLURM_JOB_ID=//p' "$member") = "$(lease_on "$node")" ]]
  done
}

@test "a training gives up nodes for a rigid job, and takes them again after it" {
  job=$(submit_training 1-4)
  wait_until 20 "size_is $job 4"
  rigid=$(rigid 2)
  wait_until 6 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 2"
  wait_for_steps "$job" 5
  [[ -z $(events_of "$job" rollback) ]]
  scancel "$rigid"
  wait_until 20 "size_is $job 4"
}

@test "a job that becomes eligible later gets its nodes like one that arrives" {
  job=$(submit_training 1-4)
  wait_until 20 "size_is $job 4"
  held=$(rigid 2 --hold)
  first=$(submitted -p head --hold --wrap true)
  next=$(rigid 1 --dependency="afterany:$first")
  wait_for_steps "$job" 5
  size_is "$job" 4
  slurm scontrol release "$held"
  wait_until 8 "job_is $held RUNNING"
  slurm scontrol release "$first"
  wait_until 12 "job_is $next RUNNING"
  wait_until 5 "size_is $job 1"
}

@test "srun and salloc start over leases as if they were not there" {
  job=$(submit_training 1-4)
  wait_until 20 "size_is $job 4"
  as_user timeout 10 srun --immediate=5 -N4 --exclusive true
  as_user timeout 10 salloc --quiet --immediate=5 -N3 --exclusive true
  wait_until 20 "size_is $job 4"
  wait_for_steps "$job" 5
}

@test "a training waits at zero nodes and goes on where it was" {
  job=$(submit_training 1-4)
  wait_until 20 "size_is $job 4"
  rigid=$(rigid 4)
  wait_until 8 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 0"
  job_is "$job" RUNNING
  before=$(step_of "$job")
  scancel "$rigid"
  wait_until 20 "size_is $job 4"
  wait_for_steps "$job" 5
  (($(events "$job" | jq -s 'map(select(.event == "rollback").to_step) | min // 1e9 | floor') >= before))
}

@test "two trainings share the nodes" {
  one=$(submit_training 1-4)
  two=$(submit_training 1-4)
  wait_until 30 "size_is $one 2 && size_is $two 2"
  scancel "$one"
  wait_until 20 "size_is $two 4"
}

@test "through all of it every sample is trained on exactly once" {
  make_training 40000 40 2 1
  job=$(submit_training 1-4)
  wait_until 20 "size_is $job 4"
  rigid=$(rigid 3)
  wait_until 8 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 1"
  scancel "$rigid"
  wait_until 20 "size_is $job 4"
  rigid=$(rigid 4)
  wait_until 8 "job_is $rigid RUNNING"
  scancel "$rigid"
  finished_exactly "$job"
  no_leases
}

@test "the batch job ends with the program's exit code" {
  sed 's|-- .*|-- sh -c "exit 7"|' "$work/train.sh" >"$work/fail.sh"
  job=$(submitted --malleable=1-2 "$work/fail.sh")
  wait_until 40 "[[ \$(job_end $job) = FAILED ]]"
  [[ $(slurm scontrol show job "$job") = *"ExitCode=7:0"* ]]
  wait_until 5 no_leases
}

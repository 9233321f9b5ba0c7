#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# mode: observe reports holes and plans, and touches nothing.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 3 --gpus 1 --set mode=observe
  make_training 4000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

@test "holes are reported" {
  wait_until 15 '[[ $(gleaner status --json | jq ".holes | length") = 3 ]]'
  rigid=$(rigid 2)
  wait_until 15 '[[ $(gleaner status --json | jq ".holes | length") = 1 ]]'
}

# What the scavenger says when gleanerd goes: its looks while it was there.
looks_said() {
  grep gleanerd_lost "$cluster/slurm/log/slurmctld.log" | tail -n 1 |
    grep -oE 'looks=[0-9]+' | cut -d= -f2
}

@test "where nobody trains jobs that come and go cause no looks" {
  "$minicluster" restart "$cluster/slurm" gleanerd
  sleep 3  # the first looks
  for _ in $(seq 8); do
    job=$(rigid 1)
    sleep 1
    slurm scancel "$job"
  done
  "$minicluster" restart "$cluster/slurm" gleanerd
  wait_until 10 '[[ -n $(looks_said) ]]'
  looks=$(looks_said)
  echo "looks: $looks"
  ((looks <= 8))
}

@test "the first training is seen at once" {
  wait_until 15 'gleaner status --json | jq -e ".trainers == []"'
  sleep 6  # a status that was asked for is one look
  since=$(wc -l <"$cluster/slurm/log/gleanerd.log")
  job=$(submit_training 1-3)
  wait_until 5 "tail -n +$since $cluster/slurm/log/gleanerd.log | grep -q trainer_registered"
}

@test "a training is known, but nothing is lent to it" {
  job=$(submit_training 1-3)
  wait_until 15 '[[ $(gleaner status --json | jq ".trainers | length") = 1 ]]'
  # Long enough for a plan: the log says what would have been lent.
  wait_until 20 "grep -qiE 'observe|would' $cluster/slurm/log/gleanerd.log"
  [[ -z $(slurm squeue -h -a -p lease) ]]
  wait_until 15 "[[ \$(gleaner status) = *'nothing is lent (gleaner.yaml): of 3 nodes that could be, 3 would be'* ]]"
  run gleaner report --journal "$cluster/slurm/state/gleaner/journal.sqlite"
  echo "$output"
  [[ $status = 0 && $output = *'mode observe '*'could have been lent'* ]]
  [[ $(size_of "$job") = 0 || -z $(events_of "$job" generation) ]]
}

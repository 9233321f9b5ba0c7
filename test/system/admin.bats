#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Off means off: gleaner admin, and the same by gleaner.yaml.

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
  gleaner admin resume >/dev/null 2>&1 || :
  gleaner admin on >/dev/null 2>&1 || :
  cancel_all
}

grown() { # a training on all four nodes
  job=$(submit_training 1-4)
  wait_until 30 "size_is $job 4"
}

lent_nodes() { leases | awk '{print $2}' | sort | paste -sd,; }

# The seconds that `gleaner admin` says the nodes took.
took_s() { sed -n 's/.* back after \([0-9.]*\) s$/\1/p' <<<"$output"; }

@test "drained nodes come back, the training goes on elsewhere, resume lends them again" {
  grown
  run gleaner admin drain 'n[1-2]'
  echo "$output"
  [[ $status = 0 && $output = *"mode on, drained: n[1-2]"* ]]
  [[ $output = *"2 nodes are back after "* ]]
  # Two seconds are promised; a loaded machine gets more.
  awk "BEGIN {exit !($(took_s) < 10)}"
  [[ $(lent_nodes) = n3,n4 ]]
  wait_until 10 "size_is $job 2"
  [[ -z $(events_of "$job" rollback) ]]
  wait_for_steps "$job" 50
  [[ $(lent_nodes) = n3,n4 ]]
  [[ $(gleaner status) = *"drained, not lent: n[1-2]"* ]]
  run gleaner admin resume 'n[1-2]'
  [[ $status = 0 && $output = "mode on" ]]
  wait_until 20 "size_is $job 4"
}

@test "a drain outlives a restart of gleanerd" {
  grown
  gleaner admin drain n1
  "$minicluster" restart "$cluster/slurm" gleanerd
  wait_until 20 "[[ \$(gleaner status --json | jq -r .drained) = n1 ]]"
  wait_until 20 "[[ \$(gleaner status --json | jq '[.trainers[] | select(.state == \"running\")] | length') = 1 ]]"
  wait_for_steps "$job" 50
  [[ $(lent_nodes) = n2,n3,n4 ]]
}

@test "observe takes every node back and says what it would lend; on lends again" {
  grown
  run gleaner admin observe
  echo "$output"
  [[ $status = 0 && $output = *"mode observe"*"4 nodes are back"* ]]
  no_leases
  wait_until 10 "[[ \$(gleaner status) = *'nothing is lent (gleaner admin): of 4 nodes that could be, 4 would be'* ]]"
  # What is observed is recorded every 10 s at most.
  wait_until 20 "grep -q 'observed lendable=4 ' $cluster/slurm/log/gleanerd.log"
  gleaner admin on
  wait_until 30 "size_is $job 4"
}

@test "mode: observe in gleaner.yaml takes every node back at SIGHUP" {
  grown
  sed -i.before 's/^mode: on$/mode: observe/' "$GLEANER_CONF"
  kill -HUP "$(pid_of gleanerd)"
  wait_until 10 no_leases
  run gleaner admin on
  echo "$output"
  [[ $status = 2 && $output = *"gleaner.yaml says mode: observe"* ]]
  mv "$GLEANER_CONF.before" "$GLEANER_CONF"
  echo 'drained: n[2-4]' >>"$GLEANER_CONF"
  kill -HUP "$(pid_of gleanerd)"
  wait_until 30 "size_is $job 1"
  [[ $(lent_nodes) = n1 ]]
  sed -i '/^drained:/d' "$GLEANER_CONF"
  kill -HUP "$(pid_of gleanerd)"
  wait_until 30 "size_is $job 4"
}

@test "only root and SlurmUser give orders, and only about nodes that are there" {
  run as_user gleaner admin drain
  echo "$output"
  [[ $status = 2 && $output = *"only root and SlurmUser may give orders"* ]]
  wait_until 10 "gleaner status --json | jq -e '.snapshot_s > 0'"
  run gleaner admin drain n9
  echo "$output"
  [[ $status = 2 && $output = *"'n9' is no node of the lease partition"* ]]
  [[ $(gleaner status --json | jq -r .drained) = "" ]]
}

@test "a reservation for now needs a drain first, one for later does not" {
  grown
  # Leases are short: they stand in nobody's way later.
  slurm scontrol create reservation ReservationName=later StartTime=now+30minutes \
    Duration=60 Nodes='n[1-4]' Users=root Flags=MAINT
  slurm scontrol delete ReservationName=later
  run slurm scontrol create reservation ReservationName=soon StartTime=now \
    Duration=60 Nodes=n1 Users=root Flags=MAINT
  echo "$output"
  [[ $status != 0 ]]
  gleaner admin drain n1
  slurm scontrol create reservation ReservationName=soon StartTime=now \
    Duration=60 Nodes=n1 Users=root Flags=MAINT
  gleaner admin resume
  wait_for_steps "$job" 20
  [[ $(lent_nodes) = n2,n3,n4 ]]
  slurm scontrol delete ReservationName=soon
  wait_until 30 "size_is $job 4"
}

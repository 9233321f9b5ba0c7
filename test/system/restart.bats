#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# gleanerd and slurmctld may be killed and restarted under running trainings.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 3 --gpus 1
  make_training 400000 40 1 1
}
teardown_file() { stop_cluster; }
setup() {
  use_cluster
  job=$(submit_training 1-3)
  wait_until 20 "size_is $job 3"
  before=$(leases | sort)
}
teardown() {
  kill -CONT "$(pid_of munged)" 2>/dev/null || : # a test may have failed half-way
  show_logs_on_failure
  cancel_all
}

kill_daemon() {
  local pid
  pid=$(pid_of "$1")
  kill -KILL "$pid"
  wait_until 5 "! grep -qz MINICLUSTER_DIR /proc/$pid/environ"
}

status_leases() { gleaner status --json | jq -r '.leases[] | select(.state == "held") | "\(.job) \(.node)"' | sort; }

@test "gleanerd is killed and restarted: no lease is lost, training never stops" {
  kill_daemon gleanerd
  wait_for_steps "$job" 30
  [[ $(leases | sort) = "$before" ]]
  "$minicluster" restart "$cluster/slurm" gleanerd
  wait_until 15 "[[ \$(status_leases) = '$before' ]]"
  wait_for_steps "$job" 30
  [[ $(leases | sort) = "$before" ]]
  [[ $(events_of "$job" generation | wc -l) -le 3 ]]
  # It is in charge again: nodes are given back and taken as ever.
  rigid=$(rigid 2)
  wait_until 6 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 1"
}

@test "munged hangs while somebody connects: gleanerd goes on with who is in" {
  local address munge=$cluster/slurm/run/munge.sock
  address=$(sed -n 's/^address: //p' "$GLEANER_CONF")
  speak() { "$top/test/system/speak" "$@"; }
  speak tcp "$address" --munge "$munge" --seconds 12 \
    '{"type":"StatusRequest"}' pause:3 '{"type":"StatusRequest"}' >"$work/in" &
  local inside=$!
  wait_until 5 "grep -q StatusReply $work/in"
  kill -STOP "$(pid_of munged)"
  speak tcp "$address" --seconds 8 '{"type":"munge","credential":"MUNGE:AAAA:"}' >"$work/stranger" &
  local stranger=$!
  # The event loop goes on: it greets newcomers within half a second.
  wait_until 2 "grep -q challenge $work/stranger"
  for _ in 1 2 3; do
    [[ $(speak tcp "$address" --seconds 0.5) = *'"challenge"'* ]]
  done
  # Who is in is answered, and the training goes on.
  wait_until 6 "((\$(grep -c StatusReply $work/in) == 2))"
  wait_for_steps "$job" 10
  kill -CONT "$(pid_of munged)"
  jq -se 'map(select(.type == "StatusReply")) | .[1].time_s - .[0].time_s > 2 and (.[1].leases | length) == 3' "$work/in"
  wait "$inside" "$stranger" || true
  [[ $(cat "$work/stranger") != *accepted* ]]
  wait_until 15 "[[ \$(status_leases) = '$before' ]]"
  [[ $(leases | sort) = "$before" ]]
}

@test "a training that ends while gleanerd is away leaves no lease" {
  kill_daemon gleanerd
  as_user timeout 10 scancel "$job"
  wait_until 5 no_leases
  "$minicluster" restart "$cluster/slurm" gleanerd
}

@test "a lease without its coordinator is ended after gleanerd's restart" {
  kill_daemon gleanerd
  # The agents are stopped, so that they do not end themselves.
  signal STOP -u "$test_user" gleaner-agent
  signal KILL -u "$test_user" -f '^[^ ]*gleaner-coordinator'
  "$minicluster" restart "$cluster/slurm" gleanerd
  wait_until 30 no_leases
}

@test "slurmctld is killed and restarted: training never stops, leases stay" {
  # What slurmctld did in its last seconds is in no file yet: Slurm's own rule.
  wait_until 15 "((\$(grep -ao 'gleaner:lease trainer=$job' $cluster/slurm/state/slurmctld/job_state | wc -l) == 3))"
  kill_daemon slurmctld
  wait_for_steps "$job" 30
  "$minicluster" restart "$cluster/slurm" slurmctld
  wait_until 15 "[[ \$(leases | sort) = '$before' ]]"
  wait_for_steps "$job" 30
  # The plugins are at work again.
  rigid=$(rigid 2)
  wait_until 8 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 1"
  scancel "$rigid"
  wait_until 20 "size_is $job 3"
}

@test "scontrol reconfigure changes nothing" {
  slurm scontrol reconfigure
  wait_for_steps "$job" 30
  [[ $(leases | sort) = "$before" ]]
}

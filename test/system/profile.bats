#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# gleanerd learns how trainings scale while they run, and plans with it.
#
# Members sleep instead of computing, and sums take as long as links would that are
# imitated (GLEANER_SLOW_LINK): so eight of them scale on one machine as they would
# on eight nodes, and the truth is known.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 8 --set scaling=measured --set forward_looking_s=120 \
    --set profile_share=0
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

# submit_like NAME SAMPLE_MS LATENCY_S: a training of 840 samples a step, which all
# numbers of members from 1 to 8 divide; it may have all nodes.
submit_like() {
  make_training 400000000 840 1 "$2"
  sed -i "2i export GLEANER_SLOW_LINK=$3,1e9" "$work/train.sh"
  cp "$work/train.sh" "$work/$1.sh"
  submitted --malleable=1-8 -J "$1" "$work/$1.sh"
}

profile() { slurm gleaner profile "$@"; }

# measured_on JOB N: this many nodes were measured for long enough.
measured_on() {
  [[ $(profile "$1" --json | jq --argjson n "$2" \
    'any(.measured[]; .nodes == $n and .steps >= 20)') = true ]]
}

# error_at JOB N TRUTH_S: of what is expected of N nodes, in percent of the truth,
# a step's time in seconds.
error_at() {
  profile "$1" --json | jq --argjson n "$2" --argjson truth "$3" \
    '(.global_batch / $truth) as $true
     | .curve[] | select(.nodes == $n) | (.expected / $true - 1) * 100 | fabs'
}

# is_kept JOB: what it has taught so far is on disk.
is_kept() {
  [[ $(sqlite3 "$cluster/slurm/state/gleaner/profiles.sqlite" \
    "SELECT count(*) FROM profile WHERE job = $1") = 1 ]]
}

# nearer JOB N TRUTH_S PERCENT
nearer() {
  local error
  error=$(error_at "$1" "$2" "$3")
  echo "job $1 on $2 nodes: expected is $error % off"
  awk -v e="$error" -v most="$4" 'BEGIN {exit !(e != "" && e <= most)}'
}

# shared MOST LEAST: the one has nearly all nodes, the other keeps training.  On a
# quiet machine 7 and 1.
shared() {
  (($(size_of "$1") >= 6 && $(size_of "$2") >= 1 && $(size_of "$2") <= 2))
}

@test "nodes go to the training that makes most of them, which nobody told" {
  # 252 ms on one node; each of the 2 (m - 1) links of a sum takes 0.5 ms: the
  # seventh node still brings 0.64 times what the first did.
  scales=$(submit_like scales 0.3 0.0005)
  # 67 ms on one node, and each link takes 8 ms: the second node brings 0.35.
  talks=$(submit_like talks 0.08 0.008)
  # By the guess that all scale alike each would have four.
  wait_until 120 "shared $scales $talks"
  # It stays so.
  for _ in {1..20}; do
    shared "$scales" "$talks"
    sleep 0.5
  done
  run profile "$talks"
  echo "$output"
  [[ $output = *measured* && $output = *"TIMES ONE NODE"* ]]
}

# Where the machine has time all are within 5 % (doc/results-runtime.md); this one may be busy.
@test "what is expected is near the truth, on sizes it never had, too" {
  job=$(submit_like scales 0.3 0.0005)
  wait_until 60 "measured_on $job 8"
  rigid=$(rigid 5)
  wait_until 30 "measured_on $job 3"
  profile "$job"
  # 0.3 ms for each of 840 / m samples, and 2 (m - 1) x 0.5 ms.
  nearer "$job" 8 0.0385 10
  nearer "$job" 3 0.086 10
  nearer "$job" 5 0.0544 15  # which it never had
  nearer "$job" 6 0.047 15
}

@test "what one training taught the next one of its family knows, after a restart too" {
  job=$(submit_like scales 0.3 0.0005)
  wait_until 60 "measured_on $job 8"
  wait_until 20 "is_kept $job"
  slurm scancel "$job"
  wait_until 20 "no_leases"
  "$minicluster" restart "$cluster/slurm" gleanerd
  job=$(submit_like scales 0.3 0.0005)
  wait_until 60 "profile $job | grep -q 'known from'"
  profile "$job"
  profile "$job" --svg "$cluster/profile.svg"
  grep -q 'class="expected"' "$cluster/profile.svg"
}

@test "a training that is not like its family learns nothing from it" {
  job=$(submit_like talks 0.08 0.008)
  wait_until 60 "measured_on $job 8"
  # 0.08 ms for each of 105 samples, and 14 x 8 ms.
  nearer "$job" 8 0.1204 10
  # It leaves most of these nodes then, since it is no faster for them.
  wait_until 60 "measured_on $job 1 || measured_on $job 2"
  profile "$job"
  nearer "$job" 8 0.1204 10
  run profile "$job"
  [[ $output != *"known from"* ]]
}

@test "a job that is no training has no profile" {
  run profile 999999
  [[ $status = 1 ]]
  [[ $output = *"job 999999 is no training that runs now"* ]]
}

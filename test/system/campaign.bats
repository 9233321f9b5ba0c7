#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A search runs on idle nodes, from jobs that may be killed at any time.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 3
  local program=$build/test/runtime/.libs/trainer
  [[ -e $program ]] || program=$build/test/runtime/trainer
  install -m 755 "$program" "$work/searched"
}
teardown_file() { stop_cluster; }
setup() {
  use_cluster
  [[ -e $build/runtime/python/gleaner-campaign ]] || skip "built without Python"
  "${PYTHON:-/usr/bin/python3}" -c 'import optuna, yaml' || skip "no python3-optuna"
  search=$work/search-$BATS_TEST_NUMBER
}
teardown() {
  show_logs_on_failure
  [[ -z ${BATS_ERROR_STATUS:-} ]] || tail -n 20 "$search"/trials/*/output.log
  cancel_all
}

# make_search TRIALS [TRAINER-OPTION...]: $search, and the job script for it.
make_search() {
  cat >"$work/space.yaml" <<END
objective: loss
per: pass
space:
  loss: {type: int, low: 1, high: 100}
sampler: random
pruner: {name: asha, reduction: 2}
budget: {trials: $1}
seed: 7
END
  campaign create "$search" --spec "$work/space.yaml"
  cat >"$work/campaign.sh" <<END
#!/bin/bash
exec gleaner campaign run "$search" -- $work/searched --loss {loss} ${*:2}
END
}
# All of it belongs to the user.
campaign() { as_user timeout 60 gleaner campaign "$@"; }
status() { campaign status "$search" --json; }
trials_in() { status | jq ".trials.$1"; }
ended() { status | jq '.trials | .complete + .pruned + .fail'; }
trial_events() { jq -c "select(.event == \"$2\")" "$search/trials/$1/events.jsonl"; }
step_of_trial() {
  jq -s 'map(select(.event == "step").step) | max // 0' \
    "$search/trials/$1/events.jsonl" 2>/dev/null || echo 0
}

@test "an array of workers runs all trials of a search, each once" {
  make_search 6 --samples 320 --step-ms 5 --passes 4
  submitted --array=1-2 --malleable=1-2 "$work/campaign.sh"
  wait_until 120 '(($(ended) == 6))'
  wait_until 20 no_jobs
  [[ $(trials_in fail) = 0 ]]
  (($(trials_in complete) >= 1))
  # The best of random search is the smallest factor of those that ended.
  [[ $(campaign trials "$search" --json |
    jq '[.[] | select(.state == "complete")] | min_by(.values[0]).params.loss') = \
    $(campaign best "$search" --json | jq '.[0].params.loss') ]]
}

@test "scancel loses no step: the next worker goes on from that boundary" {
  make_search 1 --samples 3200 --step-ms 20 --passes 1
  job=$(submitted --malleable=1-2 "$work/campaign.sh")
  wait_until 60 '(($(step_of_trial 00000) >= 20))'
  slurm scancel "$job"
  wait_until 20 "[[ \$(job_end $job) = CANCELLED ]]"
  parked=$(trial_events 00000 park | jq .step)
  ((parked >= 20))
  wait_until 20 no_leases
  submitted --malleable=1-2 "$work/campaign.sh"
  wait_until 90 '(($(trials_in complete) == 1))'
  [[ $(trial_events 00000 rollback | jq .to_step) = "$parked" ]]
}

@test "a worker's job is killed at once: its trial is taken up by another" {
  make_search 1 --samples 3200 --step-ms 20 --passes 1
  sed -i 's/campaign run/campaign run --run-options=--checkpoint-interval=0.5/' \
    "$work/campaign.sh"
  job=$(submitted --malleable=1-2 "$work/campaign.sh")
  wait_until 60 '[[ -n $(trial_events 00000 checkpoint) ]]'
  slurm scancel --signal=KILL --full "$job"
  wait_until 20 "[[ \$(job_end $job) != RUNNING ]]"
  submitted --malleable=1-2 "$work/campaign.sh"
  wait_until 90 '(($(trials_in complete) == 1))'
  (($(trial_events 00000 rollback | jq .to_step) > 0))
  [[ $(trials_in fail) = 0 ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The benchmark of searches still measures them, on a small cluster.

load helpers

setup_file() {
  take_turn
  [[ -z $(why_not) ]] || return 0
  data=$BATS_FILE_TMPDIR/data out=$BATS_FILE_TMPDIR/out
  export data out
  mkdir -p "$data/swf"
  small_log >"$data/swf/kth_sp2_2w_A.swf"
  remains >"$BATS_FILE_TMPDIR/before"
}
setup() {
  skip_if_impossible
  [[ -e $build/runtime/python/gleaner-campaign ]] || skip "built without Python"
  "${PYTHON:-/usr/bin/python3}" -c 'import optuna, yaml' || skip "no python3-optuna"
}

# A machine of 16 nodes; each minute a job of up to 4 of them for some minutes.
small_log() {
  awk 'BEGIN {
    print "; MaxNodes: 16\n; WindowStart: 0\n; WindowEnd: 14400"
    for (t = 30; t < 14000; t += 60)
      print ++n, t, 0, 240 + 120 * (n % 5), 1 + n % 4, -1, -1, 1 + n % 4, 900,
        -1, 1, 1, 1, -1, -1, -1, -1, -1
  }'
}

# What runs of the benchmark leave while they run.
remains() {
  find /tmp -maxdepth 1 -name 'gleaner-search-*'
  getent passwd | grep '^gleaner-harm-' || :
}

figure() { jq -r "$1" "$out/bench-campaign.json"; }

@test "a search runs in the holes of a log, by Gleaner and by plain Optuna" {
  timeout 400 "$top/test/bench/bench-campaign" --build "$build" --data "$data" \
    --out "$out" --quick
  [[ $(figure '[.runs[].arm] | sort | join(" ")') = "equal peer weights" ]]
  # Each finished all its trials, each once, and had nodes for it.
  [[ $(figure '[.runs[] | .trials | map(select(.ended_t)) | length] | unique[]') = 4 ]]
  [[ $(figure '[.runs[] | .trials | map(.number) | unique | length] | unique[]') = 4 ]]
  [[ $(figure '[.figures[].median.lent_node_s > 0] | all') = true ]]
  [[ $(figure '[.figures[].median.ended_per_idle_node_h > 0] | all') = true ]]
  [[ $(figure '.figures.weights.time_ratio > 0') = true ]]
  [[ $(figure '.figures.peer.time_ratio') = 1 ]]
  # Rigid jobs had nodes meanwhile.
  [[ $(figure '[.runs[].uses | map(.[1]) | add > 0] | all') = true ]]
}

@test "nothing is left behind, and what is missing is named" {
  diff "$BATS_FILE_TMPDIR/before" <(remains)
  run "$top/test/bench/bench-campaign" --build "$build" --data "$data/swf" --out "$out/2"
  [[ $status != 0 && $output = *"no job log '$data/swf/swf/kth_sp2_2w_A.swf'"* ]]
  run "$top/test/bench/bench-campaign" --build "$build" --data "$data" --out "$out/2" --arms best
  [[ $status != 0 && $output = *"unknown arm 'best' [use weights equal peer]"* ]]
}

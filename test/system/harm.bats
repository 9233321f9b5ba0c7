#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The benchmark of what rigid jobs feel still measures it, on a small cluster.

load helpers

setup_file() {
  take_turn
  [[ -z $(why_not) ]] || return 0
  data=$BATS_FILE_TMPDIR/data out=$BATS_FILE_TMPDIR/out
  export data out
  mkdir -p "$data/swf"
  small_log >"$data/swf/thetagpu_2w_A.swf"
  remains >"$BATS_FILE_TMPDIR/before"
}
setup() { skip_if_impossible; }

# A machine of 16 nodes; each minute a job of up to 6 of them for some minutes.
small_log() {
  awk 'BEGIN {
    print "; MaxNodes: 16\n; WindowStart: 0\n; WindowEnd: 7200"
    for (t = 30; t < 7000; t += 60)
      print ++n, t, 0, 120 + 60 * (n % 5), 1 + n % 6, -1, -1, 1 + n % 6, 600,
        -1, 1, 1, 1, -1, -1, -1, -1, -1
  }'
}

# What runs of the benchmark leave while they run.
remains() {
  find /tmp -maxdepth 1 -name 'gleaner-harm-*'
  getent passwd | grep '^gleaner-harm-' || :
}

figure() { jq -r ".rows[0] | $1" "$out/bench-harm.json"; }

@test "jobs are replayed with Gleaner and without, and compared one by one" {
  timeout 300 "$top/test/bench/bench-harm" --build "$build" --data "$data" \
    --out "$out" --rows small --seconds 15 --compression 60
  [[ $(figure '.added_start_delay_s.all.n') -ge 5 ]]
  [[ $(figure '.without.start_delay_s.all.p50 > 0') = true ]]
  # Rigid jobs took nodes that trainings had, and gave them back.
  [[ $(figure '.leases') -gt 8 ]]
  [[ $(figure '.take_back_ms.p50 > 0') = true ]]
  [[ $(figure '.slurmctld_cpu_s.with > 0') = true ]]
  # With Gleaner jobs may start before backfill looks at its queue.
  [[ $(figure '.without.cycles.backfill.cycles > 0') = true ]]
}

@test "tables and a picture are made of it, and nothing is left behind" {
  "$top/test/bench/harm-report" "$out/bench-harm.json" | grep -q 'harvest_ratio'
  grep -q '<svg' "$out/bench-harm.svg"
  [[ -s $out/logs/small/with/slurmctld.log ]]
  diff "$BATS_FILE_TMPDIR/before" <(remains)
}

@test "what is missing is named" {
  run "$top/test/bench/bench-harm" --build "$build" --data "$data" --out "$out" --rows mall
  [[ $status != 0 && $output = *"unknown row 'mall' [use small plain"* ]]
  run "$top/test/bench/bench-harm" --build "$build" --data "$data/swf" --out "$out"
  [[ $status != 0 && $output = *"$data/swf/swf/kth_sp2_2w_A.swf"* ]]
}

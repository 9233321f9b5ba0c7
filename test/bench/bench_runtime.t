#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The benchmarks of the runtime still run, and measure what they say: every part
# once, with small cells and without other systems.
top=${top_srcdir:-.} build=${top_builddir:-.}
test "${GLEANER_SYSTEM_TESTS:-yes}" = yes ||
  { echo "1..0 # SKIP GLEANER_SYSTEM_TESTS=no"; exit 0; }
parts='resize loss allreduce network joiners scale'
if "${PYTHON:-/usr/bin/python3}" -c 'import torch, cffi' 2>/dev/null; then
  parts="$parts fixed deterministic loader"
fi
out=$(mktemp -d "${TMPDIR:-/tmp}/gleaner-bench-XXXXXX") || exit 1
trap 'rm -rf "$out"' EXIT
n=0
ok() {  # name, command
  n=$((n + 1))
  if eval "$2"; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
}
rows() {  # jq condition: how many rows it holds for
  jq "[.rows[] | select($1)] | length" "$out/bench-runtime.json"
}

echo 1..13
ok 'all parts run' \
  "timeout 420 $top/test/bench/bench-runtime --build $build --source $top \
     --out $out --parts '$parts' --reps 1 --states 1 --no-peers --quick \
     >$out/report 2>$out/err || { sed 's/^/# /' $out/err; false; }"
ok 'each resize was seen, with its stall' \
  "test \$(rows '.part == \"resize\" and .repetitions[0].stall_ms > -5') = 8"
ok 'each kind of loss was seen, and came after the kill' \
  "test \$(rows '.part == \"loss\" and .repetitions[0].to_next_step_ms > 0') = 4"
ok 'a frozen member is given up only after the timeout' \
  "test \$(rows '.kind == \"frozen\" and .repetitions[0].to_next_step_ms > 1000') = 1"
ok 'the members that compute nothing came, were lost, and nobody else' \
  "test \$(rows '.part == \"scale\" and .repetitions[0].took_ms > 0') = 2 &&
   test \$(rows '.part == \"scale\" and .lost == 0') = 2"
pairs=0
test "${have_gloo:-yes}" = no || pairs=8
test "${have_mpi:-yes}" = no || pairs=$((pairs + 12))
ok 'members of a network were connected' \
  "test \$(rows '.kind == \"connect\" and .connect_s[0] > 0') = 1"
links=2
test "$(id -u)" = 0 && command -v tc >/dev/null || links=0
ok 'joiners got the state over links, none faster than a link is' \
  "test \$(rows '.part == \"joiners\" and .repetitions[0].stall_s > .stream_s * 0.9') = $links"
ok 'data planes and libraries were measured in pairs' \
  "test \$(rows '.part == \"allreduce\" and (.ours_ms | length) == (.library_ms | length)') = $pairs"
case $parts in
  *fixed*)
    ok 'Gleaner and DistributedDataParallel took turns' \
      "test \$(rows '.part == \"fixed\" and (.step_ms | length) == (.ddp_step_ms | length)') = 4" ;;
  *) n=$((n + 1)); echo "ok $n # SKIP no PyTorch and cffi for ${PYTHON:-python3}" ;;
esac
case $parts in
  *deterministic*)
    ok 'steps of deterministic mode were set beside usual ones' \
      "test \$(rows '.part == \"deterministic\" and .step_ms[0] > 0 and .usual_ms[0] > 0') = 1" ;;
  *) n=$((n + 1)); echo "ok $n # SKIP no PyTorch and cffi for ${PYTHON:-python3}" ;;
esac
case $parts in
  *loader*)
    ok 'waits for samples were told around resizes, announced and not' \
      "test \$(rows '.part == \"loader\" and .repetitions[0].at_ms >= 0') = 4" ;;
  *) n=$((n + 1)); echo "ok $n # SKIP no PyTorch and cffi for ${PYTHON:-python3}" ;;
esac
ok 'tables are made of it' "grep -q '^| 2 to 3 | 1 | tcp | 1 |' $out/report"
ok 'nothing is left behind' \
  "test \"\$(cd $out; echo *)\" = 'bench-runtime.json err report' &&
   ! pgrep -f '$out/work' >/dev/null"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training whose run directory and whose output are on a disk that stands
# still.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 4

# A full pipe that nobody reads: who writes to it waits for ever.
mkfifo "$dir/events.jsonl" "$dir/log"
exec 8<>"$dir/events.jsonl" 9<>"$dir/log"
for pipe in 8 9; do head -c 65536 /dev/zero >&$pipe; done
stands_still() { ! timeout 1 sh -c 'echo >&'"$1"; }
ok 'events and log stand still' 'stands_still 8'

# How many members ended with what most have.
like_ends() {
  sed -n 's/^done member=[0-9]* //p' "$dir/out" | sort | uniq -c | sort -n |
    awk 'END { print $1 }'
}
none_left() { ! pgrep -f -- "--dir $dir" >/dev/null; }
events() { cat "$dir/out"; }  # for what failed; the others cannot be read
"$build/runtime/coordinator/gleaner-coordinator" --dir "$dir" --local=3 \
  --failure-timeout=1 --checkpoint-interval=0 -- \
  "$build/test/runtime/trainer" --samples 16000 --step-ms 5 \
  >"$dir/out" 2>&9 8<&- &
coordinator=$!
ended_s() {
  while ! ended; do test $((tries = tries - 1)) -gt 0 || return; sleep 0.1; done
}
tries=600
ended_s
kill -9 "$coordinator" 2>/dev/null
wait "$coordinator"
status=$?
coordinator=
ok 'the training ends nevertheless' "echo $status == 0" 1
ok 'nobody was lost: all members have the same end' 'like_ends == 3' 1
exec 8<&- 9<&-
ok 'and no process is left' none_left 5

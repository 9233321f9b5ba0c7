#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# With --deterministic the parameters after 200 steps are the same to the bit,
# whatever members did; without it they are not.
#
# GLEANER_TEST_SEED=n repeats the random resizes and losses of a run.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 11
trainer=$build/test/runtime/sines
seed=${GLEANER_TEST_SEED:-$(date +%s)}
echo "# GLEANER_TEST_SEED=$seed"

# Usage: pick N: $picked is one of 0 to N-1.
pick() {
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  picked=$((seed / 65536 % $1))
}
live_nodes() {
  events '[.[] | select(.event == "node_joined") | .node]
    - [.[] | select(.event == "node_left") | .node] | .[]' | tr -d '"'
}
live_members() {
  events '(map(select(.event == "member_lost") | .member)) as $lost
    | .[] | select(.event == "member_started")
    | select([.member] - $lost != []) | .pid'
}
# Usage: one_of WORD...: $one is one of them, or nothing.
one_of() {
  one=
  test $# -gt 0 || return 1
  pick $#
  shift "$picked"
  one=$1
}
resize() {
  # shellcheck disable=SC2046
  set -- $(live_nodes)
  pick 2
  if test $# -lt 2 || { test $# -lt 4 && test "$picked" = 0; }; then
    add_node
  else
    one_of "$@" && remove_node "$one" 20
  fi
}
lose() {
  # shellcheck disable=SC2046
  one_of $(live_members) && kill -9 "$one" 2>/dev/null
}
pause() { pick "$1"; sleep "$(printf '0.%02d' "$picked")"; }

# Usage: train [RUN-OPTION...] -- [PROGRAM-OPTION...]: in a folder of its own.
train() {
  rm -rf "$dir/events.jsonl" "$dir/out" "$dir/err" "$dir/control" \
    "$dir/checkpoints"
  start_training "$@"
}
hashes() { sed -n 's/^done step=200 hash=//p' "$dir/out" | sort -u; }
losses() {
  events 'map(select(.event == "log" and .key == "loss")) | .[].value'
}
different_from() { test -n "$(hashes)" && test "$(hashes)" != "$1"; }
losses_agree() {
  paste "$dir/fixed" "$dir/resized" | awk '
    { d = ($1 - $2) / $1; if (d < 0) d = -d; if (d > 1e-5 || NF < 2) bad = 1 }
    d > 1e-5 { print "# step " NR ": " $1 " and " $2 }
    END { exit bad || NR != 200 }'
}

train --local=2 --deterministic=6 --
end_training
expected=$(hashes)
ok 'a training of two members ends' 'echo '"$(echo "$expected" | wc -w)"' == 1'
alone=$(GLEANER_DETERMINISTIC=6 "$build/test/runtime/sines")
ok 'the program by itself finds the same bits' \
  "echo ${alone##*=} == $expected"

train --local=1 --deterministic=6 -- --step-ms 25
until ended; do
  resize
  pause 60
done
end_training
ok 'resized at random, it finds the same bits' "hashes == $expected"
ok 'after more than five resizes' 'count generation >= 6'
ok 'and no loss' 'count member_lost == 0'

train --local=3 --deterministic=6 --checkpoint-interval=0.5 -- --step-ms 25
until ended; do
  pick 4
  test "$(count member_lost)" -ge 3 || picked=2  # by luck there are fewer
  case $picked in
    0) resize ;;
    1) lose && lose ;;
    *) lose ;;
  esac
  pause 80
done
end_training
ok 'with losses at random, too, it finds the same bits' "hashes == $expected"
ok 'after three losses or more' 'count member_lost >= 3'
ok 'every sample was used once' 'samples_in_order == 4800'

train --local=2 --
end_training
fixed=$(hashes)
losses >"$dir/fixed"
train --local=1 -- --step-ms 10
for n in 40 80 120 150; do
  wait_for "step >= $n"
  test "$(nodes)" = 1 && add_node || remove_node "$(live_nodes | head -1)" 20
done
end_training
losses >"$dir/resized"
ok 'without the option the bits differ' "different_from $fixed"
ok 'but the losses agree within rounding' 'losses_agree'
ok 'and it was resized' 'count generation >= 4'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Members whose process lives, but whose program does not go on, hold nobody up
# for long.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 11

why_lost() { last member_lost .why; }
is_stuck() { why_lost | grep -q 'it is stuck: all others wait for it'; }
never_opened() { why_lost | grep -q 'did not call gleaner_open() in time'; }

TRAINER_NOT_READY_ON=l4
export TRAINER_NOT_READY_ON
start_training --local=3 --failure-timeout=1 --stuck-timeout=2 \
  --load-timeout=4 -- --samples 40000 --params 20000 --step-ms 10
wait_for 'nodes == 3'
wait_for 'step >= 30'

kill -USR2 "$(member_on l1)"
ok 'a member may say that it is busy' 'count busy == 1' 10
at=$(step)
ok 'and is waited for' "step >= $((at + 20))" 20
ok 'without being lost' 'count member_lost == 0'

stuck=$(member_on l2)
kill -USR1 "$stuck"
ok 'a member that computes for ever is given up' is_stuck 20
at=$(step)
ok 'the others go on' "step >= $((at + 20))" 10
ok 'it is ended' "gone $stuck"
ok 'and replaced' 'nodes == 3'

generations=$(count generation)
add_node
ok 'a member that never becomes ready is given up' never_opened 20
ok 'which costs the others nothing' "count generation == $generations"
remove_node l4
end_training 90
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 40000'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Joiners get the state while the others train on, follow their updates, and
# have the same state to the last bit when they are let in, no matter which dies
# meanwhile.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 17
export GLEANER_STATE_CHECK=full GLEANER_FOLLOW=on
export TRAINER_HOLD="$dir/hold"  # while it is there, joiners do not catch up
export TRAINER_LONG="$dir/long"  # and the training is slow to end
: >"$TRAINER_LONG"

of_generations() { events "[.[] | select(.event == \"generation\") | $1]"; }
followed() { of_generations 'select(.joiners == "followed")' | jq length; }
losses() { of_generations 'select(.kind == "loss")' | jq length; }
differing() { events '[.[] | select(.event == "state_check") | .differ[]] | length'; }
# Generations of which every tensor was compared, the first one included.
compared() {
  events '[.[] | select(.event == "state_check" and .digests == 3)] | length'
}

start_training --local=2 --failure-timeout=4 -- --samples 24000 \
  --params 20000 --state-mib 3 --step-ms 10
ok 'it starts with the nodes it has' 'nodes == 2'
wait_for 'step >= 10'
: >"$TRAINER_HOLD"
add_node
ok 'a joiner is fed' 'count follow == 1'
ok 'and the others train on meanwhile' "step >= $(($(step) + 20))"
ok 'without it' 'nodes == 2'
rm "$TRAINER_HOLD"
ok 'when it has caught up it is let in' 'followed == 1'
wait_for 'count state_check == 2'

: >"$TRAINER_HOLD"
add_node
wait_for 'count follow == 2'
kill -9 "$(member_on l4)"
ok 'another one follows in the place of one that dies' 'count follow == 3'
ok 'which was no loss to the training' 'losses == 0'
kill -9 "$(member_on l1)"
ok 'the loss of one that feeds is repaired by the others' 'losses == 1'
ok 'joiners follow those that are left' 'count follow >= 4'
rm "$TRAINER_HOLD"
ok 'and are let in' 'nodes == 4'

: >"$TRAINER_HOLD"
fed=$(count follow)
add_node
wait_for "count follow == $((fed + 1))"
remove_node l2 5
ok 'a node that must be left does not wait for who follows' 'nodes == 3'
rm "$TRAINER_HOLD"
ok 'who is let in later' 'nodes == 4'
rm "$TRAINER_LONG"
end_training 120
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 24000'
# Short steps do not count: members were lost.
ok 'every state was compared after each switch' 'compared >= 4'
ok 'and no bit was different' 'differing == 0'
ok 'nothing was copied' \
  "test $(of_generations 'select(.joiners == "copied")' | jq length) -eq 0"

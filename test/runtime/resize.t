#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training grows and shrinks while it runs, and loses nothing by it.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 11
export GLEANER_STATE_CHECK=full

state_checks() {
  events '[.[] | select(.event == "state_check" and .digests == 3) | .members]
    | "\(first) to \(last)"'
}
differing() { events '[.[] | select(.event == "state_check") | .differ[]] | length'; }

start_training --local=2 -- --samples 8000 --params 20000 \
  --state-mib 3 --step-ms 10
ok 'it starts with the nodes it has' 'nodes == 2'
wait_for 'step >= 20'
add_node
add_node
ok 'it grows when nodes come' 'nodes == 4'
wait_for 'count resize == 1'
remove_node l1 # rank 0
ok 'it gives up its first node' 'nodes == 3'
remove_node l3
ok 'and another one' 'nodes == 2'
end_training
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 8000'
# 1 + 2 + ... + 8000, on all members alike: their states are the same.
ok 'the parameters have seen every sample once' \
  'weights == weight=32004000.000'
bound() { events 'map(select(.event == "member_started") | .bound | type) | unique'; }
ok 'it is recorded where members run' 'bound == ["string"]'
# Tensors: weight0, momentum and moments, which no gradient tells again.
ok 'every tensor was compared on all members after the switches' \
  'state_checks == 2 to 4'
ok 'and found equal' 'differing == 0'
ok 'no member was lost' 'count member_lost == 0'

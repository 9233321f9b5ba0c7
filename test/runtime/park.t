#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training waits at zero nodes and goes on where it was.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 8

start_training --local=2 --checkpoint-interval=0 -- \
  --samples 6000 --params 20000 --step-ms 10
wait_for 'step >= 30'
remove_node l1
remove_node l2
ok 'it writes its state when the last node goes' 'count park == 1'
parked=$(last park .step)
ok 'and leaves all nodes' 'count node_left == 2'
ok 'its members ended by themselves' 'count member_lost == 0'
add_node
ok 'it goes on when a node comes' 'nodes == 1'
ok 'at the next step' "step >= $((parked + 1))"
add_node
ok 'and grows again' 'nodes == 2'
end_training
ok 'every sample was used once' 'samples_in_order == 6000'
ok 'the parameters have seen every sample once' \
  'weights == weight=18003000.000'

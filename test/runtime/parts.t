#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training shrinks, grows and loses members although none has memory for a larger
# share of a step.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 8

# 32 samples: 8 for each of four members, which is what fits.
start_training --local=4 -- --samples 16000 --batch 32 --params 200000 \
  --layers 3 --overlap 1 --step-ms 10 --memory 8
wait_for 'nodes == 4'
wait_for 'step >= 30'
remove_node l4
ok 'it shrinks' 'nodes == 3'
remove_node l3
wait_for 'nodes == 2'
remove_node l2
ok 'to one member' 'nodes == 1'
wait_for "step >= $(($(step) + 20))"
ok 'which nobody has lost' 'count member_lost == 0'
add_node
wait_for 'nodes == 2'
wait_for "step >= $(($(step) + 20))"
kill -9 "$(member_on l1)"
ok 'a loss is noticed' 'count member_lost == 1'
end_training
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 16000'
ok 'in as many steps as ever' 'step == 500'
# 1 + 2 + ... + 16000: what was computed of a failed part is in no gradient.
ok 'the parameters have seen every sample once' \
  'weights == weight=128008000.000'

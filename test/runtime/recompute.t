#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# With --on-loss=recompute a loss leaves no step short: the survivors compute
# what the dead had of it.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 5

start_training --local=3 --on-loss=recompute -- \
  --samples 9600 --batch 16 --params 20000 --step-ms 20
wait_for 'nodes == 3'
for node in l1 l2 l3; do
  wait_for 'nodes == 3'
  wait_for "step >= $(($(step) + 20))"
  kill -9 "$(member_on "$node")"
  lost=$((lost + 1))
  wait_for "count member_lost == $lost"
done
end_training
ok 'the program ends well' "echo $status == 0"
ok 'three members were lost' 'count member_lost == 3'
ok 'every sample was used once' 'samples_in_order == 9600'
ok 'in as many steps as without a loss' 'step == 600'
# 1 + 2 + ... + 9600, on all members alike: no gradient lacks a sample.
ok 'the parameters have seen every sample once' \
  'weights == weight=46084800.000'

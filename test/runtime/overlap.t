#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gradients that are reduced while the backward pass still runs: nothing is lost
# or torn when members come, leave and die meanwhile.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 10

# Four layers of 2.4 MB: buckets with the end of one layer and the begin of
# the next.  The trainer itself fails when its layers come to differ.
layers='--params 300000 --layers 4 --overlap 1 --step-ms 20'

# shellcheck disable=SC2086
start_training --local=2 -- --samples 3000 $layers
wait_for 'step >= 10'
add_node
ok 'it grows' 'nodes == 3'
remove_node l2
ok 'it shrinks' 'nodes == 2'
end_training
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 3000'
# 1 + 2 + ... + 3000.
ok 'the parameters have seen every sample once' 'weights == weight=4501500.000'

rm -f "$dir"/events.jsonl "$dir"/out "$dir"/err
# shellcheck disable=SC2086
start_training --local=3 -- --samples 4000 $layers
wait_for 'nodes == 3'
wait_for 'step >= 10'
kill -9 "$(member_on l1)"
ok 'a member is lost' 'count member_lost == 1' 10
ok 'and replaced' 'nodes == 3'
kill -9 "$(agent_on l3)"
ok 'a node is lost' 'nodes == 2' 10
end_training
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 4000'

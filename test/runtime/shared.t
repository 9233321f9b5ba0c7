#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Members of one node add up gradients in memory they share, and one of them may
# vanish at any time.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 7

start_training --local=2 --members-per-node=2 --failure-timeout=4 -- \
  --samples 16000 --params 200000 --step-ms 10
wait_for 'nodes == 2'
wait_for 'step >= 20'
shares_memory() { grep -q gleaner-node "/proc/$(member_on "$1")/maps"; }
ok 'members of a node share memory' 'shares_memory l1'
kill -9 "$(member_on l1)"
ok 'a killed member is noticed at once' 'count member_lost >= 1' 2
ok 'and another one takes its place' 'count member_started == 5'
ok 'with which memory is shared' 'shares_memory l1'
add_node
ok 'it grows by both members of a node' 'count member_started == 7'
end_training
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 16000'

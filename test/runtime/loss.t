#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Members and nodes that vanish do not end a training.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 9

start_training --local=3 --failure-timeout=4 -- \
  --samples 12000 --params 20000 --step-ms 10
wait_for 'nodes == 3'
wait_for 'step >= 20'
kill -9 "$(member_on l1)"
ok 'a killed member is noticed' 'count member_lost >= 1' 5
ok 'and another one takes its place' 'nodes == 3'

agent=$(agent_on l2)
member=$(member_on l2)
kill -9 "$agent"
ok 'a node without an agent has no members' "gone $member" 5
ok 'the others train on' 'nodes == 2'

kill -STOP "$(member_on l3)"
ok 'a member that falls silent is given up' 'count member_lost >= 3' 20
ok 'and replaced' 'nodes == 2'
end_training
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 12000'
ok 'in as many steps as without a loss' 'step == 750'

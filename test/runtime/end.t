#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How a training ends, and that it leaves no process behind.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 16

said_why() { grep -q 'without a new step' "$dir/err"; }
not_there() {
  if timeout 20 "$build/runtime/coordinator/gleaner-coordinator" --local=1 \
    --dir "$dir/none" -- /no/such/program 2>"$dir/err"
  then return 1; fi
  grep -q '/no/such/program' "$dir/err"
}

come_and_go() {
  joined=$(($(count node_joined) + 1)) left=$(($(count node_left) + 1))
  add_node
  wait_for "count node_joined == $joined"
  remove_node "l$joined"
  wait_for "count node_left == $left"
}
goes_on() { ! ended; }

start_training --local=2 -- --samples 160 --step-ms 1 --exit 7
end_training
ok 'it ends with the exit code of the program' "echo $status == 7"

rm -f "$dir"/events.jsonl "$dir"/out "$dir"/err
start_training --local=2 -- --fail-at 3
end_training
ok 'a program that always fails ends it with its code' "echo $status == 5"
ok 'and it is said why' said_why

rm -f "$dir"/events.jsonl "$dir"/out "$dir"/err
start_training --local=2 -- --samples 1000000
wait_for 'step >= 10'
one=$(member_on l1) two=$(agent_on l2)
kill -TERM "$coordinator"
end_training 5
ok 'a signal ends it' "echo $status == 143"
ok 'with its members' "gone $one" 5
ok 'and agents' "gone $two" 5

rm -f "$dir"/events.jsonl "$dir"/out "$dir"/err
start_training --local=2 -- --samples 1000000
wait_for 'step >= 10'
one=$(member_on l1) two=$(agent_on l2)
kill -9 "$coordinator"
ok 'members do not outlive a killed coordinator' "gone $one" 5
ok 'nor do agents' "gone $two" 5
wait "$coordinator" 2>/dev/null
coordinator=

rm -f "$dir"/events.jsonl "$dir"/out "$dir"/err
start_training --local=2 --checkpoint-interval=0.2 -- --samples 16000
wait_for 'count checkpoint >= 2'
kill -9 "$coordinator"
wait "$coordinator" 2>/dev/null
start_training --local=2 --resume -- --samples 16000 --step-ms 1
ok 'it goes on from a checkpoint when asked to' 'count rollback == 1'
end_training
ok 'to its end' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 16000'
ok 'the parameters have seen every sample once' \
  'weights == weight=128008000.000'

ok 'a program that is not there is told' not_there

rm -f "$dir"/events.jsonl "$dir"/out "$dir"/err
printf '#!/bin/sh\nexec sleep 60\n' >"$dir/slow"
chmod +x "$dir/slow"
trainer=$dir/slow
start_training --local=1 --nodes-min=2 --members-per-node=4 --
wait_for 'count member_started == 4'
come_and_go
come_and_go
come_and_go
ok 'members whose nodes are left before they connect are no loss' \
  'count member_lost == 0'
ok 'nor does it say that the program fails' goes_on 1
kill -TERM "$coordinator"
end_training 5

rm -f "$dir"/events.jsonl "$dir"/out "$dir"/err
trainer=
export TRAINER_NOT_READY_ON=l3
start_training --local=3 --nodes-min=2 -- --samples 1600 --step-ms 1
end_training 20
unset TRAINER_NOT_READY_ON
ok 'a member that is not ready when it ends, and is killed, is no failure' \
  "echo $status == 0"

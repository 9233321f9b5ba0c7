#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training that is asked to end from outside ends after a whole step.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 13

went_on_from() { last rollback .to_step; }
losses() { events 'map(select(.event == "log" and .key == "loss")) | length'; }
checkpoint_files() { find "$dir/checkpoints" -name '*.safetensors' | wc -l; }

start_training --local=2 --checkpoint-interval=0 -- --samples 8000 --step-ms 1
wait_for 'step >= 30'
kill -TERM "$coordinator"
end_training 15
ok 'SIGTERM ends it with that code' "echo $status == 143"
ok 'at a boundary that all members agreed on' 'count park == 1'
ok 'with a checkpoint' 'count checkpoint == 1'
ok 'and no member is killed' 'count member_lost == 0'
stopped=$(last park .step)
ok 'what each of its steps has logged is there, once' "losses == $stopped"
rm -f "$dir"/out
start_training --local=2 --resume -- --samples 8000
end_training
ok 'a later run goes on after that step' "went_on_from == $stopped"
ok 'so that every sample is used once' 'samples_in_order == 8000'

rm -rf "$dir"/events.jsonl "$dir"/out "$dir"/err "$dir/checkpoints"
start_training --local=2 --checkpoint-interval=0 -- --samples 8000 --step-ms 1
wait_for 'step >= 30'
kill -USR2 "$coordinator"
end_training 15
ok 'SIGUSR2 ends it with that code' "echo $status == 140"
ok 'at a boundary, too' 'count park == 1'
ok 'without a checkpoint' 'checkpoint_files == 0'
ok 'but with what was logged' "losses == $(last park .step)"

rm -rf "$dir"/events.jsonl "$dir"/out "$dir"/err "$dir/checkpoints"
start_training --local=1 --stop-timeout=1 -- --samples 8000 --step-ms 5000
wait_for 'count generation == 1'
kill -TERM "$coordinator"
end_training 5
ok 'it does not wait for a step that takes too long' "echo $status == 143"
ok 'whose member is killed' 'count member_lost == 1'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A log of events that has a limit, and what can still be read from it.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 7

log_bytes() { cat "$dir"/events*.jsonl | wc -c; }
parts() { set -- "$dir"/events.0*.jsonl; echo $#; }
all() { cat "$dir"/events*.jsonl | jq -sr "$1"; }
begins() { all 'first | "\(.event) \(.dataset_size) \(.generation.to >= 2)"'; }
follow() {
  all 'first.step as $before | [.[] | select(.event == "step") | .step]
    | . == [range($before + 1; last + 1)]'
}
finished() { all 'map(select(.event == "finish")) | length'; }

start_training --local=2 --events-max=40K -- --samples 16000
wait_for 'nodes == 2'
add_node
end_training 120
ok 'a training with a limit ends as usual' "echo $status == 0"
ok 'its log has as many parts as are kept' 'parts == 7'
test "$(log_bytes)" -le 42000 && within=yes
ok 'and takes no more than it may' "echo $within == yes"
ok 'the first line that is kept says where it begins' \
  'begins == continued 16000 true'
ok 'steps follow each other from there to the end' 'follow == true'
ok 'and what ended it is there' 'finished == 1'

# Without gleanerd there is no `gleaner report`.
if test -x "$build/src/cli/gleaner"; then
  "$build/src/cli/gleaner" report --trainer "$dir" --summary "$dir/summary" \
    >"$dir/report" 2>&1
fi
found() { jq -r '.trainers[0] | "\(.missing_samples) \(.passes)"' "$dir/summary"; }
if test -e "$dir/summary"; then
  ok 'a report misses no sample whose steps are gone' 'found == 0 0'
else
  echo 'ok 7 - a report misses no sample whose steps are gone # SKIP no gleaner report'
fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sum that goes on in a GPU after it was aborted: its member gives up, for what
# is still written there would spoil the next sum, and the others go on.
. "${top_srcdir:-.}/test/runtime/training.sh"
GLEANER_MODULES=$build/test/unit/runtime/comm/walled/.libs
export GLEANER_MODULES GLEANER_COMM=nccl GLEANER_TEST_RESTLESS=2
trainer=$build/test/gpu/device_trainer
told() { grep -c 'a sum still runs on the device' "$dir/err"; }
plan 6

start_training --local=2 --on-loss=recompute -- 4000 20000 5
ok 'the member of that sum is lost' 'count member_lost == 1'
ok 'and its program is told why' 'told >= 1'
ok 'another one takes its place' 'nodes == 2'
end_training 120
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 4000'
ok 'the parameters have seen every sample once' \
  'weights == weight=8002000.000'

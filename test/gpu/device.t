#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training whose parameters are on a device grows, shrinks and loses members.
#
# In `make check` the device is one whose memory the processor cannot touch, and
# tcp sums through copies.  `make check-gpu` runs it again on a GPU with NCCL:
# it sets GLEANER_MODULES and GLEANER_COMM.
. "${top_srcdir:-.}/test/runtime/training.sh"
GLEANER_MODULES=${GLEANER_MODULES:-$build/test/unit/runtime/comm/walled/.libs}
GLEANER_COMM=${GLEANER_COMM:-tcp}
export GLEANER_MODULES GLEANER_COMM
trainer=$build/test/gpu/device_trainer
plan 9

start_training --local=2 --on-loss=recompute -- 8000 20000 10
ok 'it starts with the nodes it has' 'nodes == 2'
wait_for 'step >= 20'
add_node
ok 'a joiner gets the state' 'nodes == 3'
was=$(step)
ok 'and takes part' "step >= $((was + 10))"
kill -9 "$(member_on l2)"
ok 'a killed member is noticed' 'count member_lost == 1'
ok 'and another one takes its place' 'nodes == 3'
remove_node l1 # rank 0
ok 'it gives up its first node' 'nodes == 2'
end_training 120
ok 'the program ends well' "echo $status == 0"
ok 'every sample was used once' 'samples_in_order == 8000'
# 1 + 2 + ... + 8000, on all members alike: their states are the same.
ok 'the parameters have seen every sample once' \
  'weights == weight=32004000.000'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that is started by hand is the only member of its training.
trainer=${top_builddir:-.}/test/runtime/trainer
n=0
check() {  # name, expected text, actual text
  n=$((n + 1))
  if test "$2" = "$3"; then echo "ok $n - $1"; return; fi
  echo "not ok $n - $1"
  echo "# expected: $2"
  echo "# got:      $3"
}
unset GLEANER_COORDINATOR GLEANER_SECRET_FD GLEANER_SECRET_FILE GLEANER_MEMBER

secret=$(mktemp) || exit 1
trap 'rm -f "$secret"' EXIT
printf '%064d\n' 0 >"$secret"

echo 1..6
# 1 + 2 + ... + 400 = 80200; 25 steps of 16.
check "every sample is used once" "updates=25 weight=80200.000" \
  "$(timeout 60 "$trainer" --step-ms 0 | cut -d' ' -f3-4)"
# 100 samples in steps of 16: seven, the last one of 4, and twice.
check "a pass ends with a short step" "updates=14 weight=10100.000" \
  "$(timeout 60 "$trainer" --samples 100 --passes 2 --step-ms 0 | cut -d' ' -f3-4)"
# Buckets: 40 MB of gradients are more than one.
check "gradients of many buckets" "updates=2 weight=528.000" \
  "$(timeout 60 "$trainer" --samples 32 --params 5000000 --step-ms 0 | cut -d' ' -f3-4)"
check "a coordinator that is not there is told" \
  "trainer: open: the coordinator is gone: no coordinator: 127.0.0.1:1:" \
  "$(GLEANER_COORDINATOR=127.0.0.1:1 GLEANER_SECRET_FILE="$secret" GLEANER_MEMBER=1 \
     timeout 60 "$trainer" 2>&1 | cut -d" " -f1-9)"
# Layers that are said to be ready, and reduced when all are.
check "reducing beside the backward pass can be switched off" \
  "updates=2 weight=528.000" \
  "$(GLEANER_OVERLAP=0 timeout 60 "$trainer" --samples 32 --params 1000000 \
     --layers 3 --overlap 1 --step-ms 0 | cut -d' ' -f3-4)"
check "but not with any word" \
  "trainer: open: an argument is wrong: GLEANER_OVERLAP is 'no', expected 0 or 1" \
  "$(GLEANER_OVERLAP=no timeout 60 "$trainer" 2>&1)"

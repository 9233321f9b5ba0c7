#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The smallest programs run alone, without a coordinator, and learn the line.
examples="${top_builddir:-.}/examples"
echo 1..4
# What an enclosing training set must not leak into these.
unset GLEANER_COORDINATOR GLEANER_SECRET_FD GLEANER_SECRET_FILE GLEANER_MEMBER
n=0
for program in hello_malleable hello_malleable_cc; do
  answer=$(timeout 30 "$examples/$program")
  code=$?
  test $code -eq 0 || printf 'not '
  echo "ok $((n += 1)) - $program ends with status 0 (got $code)"
  test "$answer" = 'y = 3.00 x + 2.00 after 1000 steps' || printf 'not '
  echo "ok $((n += 1)) - it finds y = 3 x + 2 in 20 passes of 50 steps (got '$answer')"
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The smallest program runs alone, without a coordinator, and learns the line.
program="${top_builddir:-.}/examples/hello_malleable"
echo 1..2
# What an enclosing training set must not leak into this one.
unset GLEANER_COORDINATOR GLEANER_SECRET GLEANER_MEMBER
answer=$(timeout 30 "$program")
code=$?
test $code -eq 0 || printf 'not '
echo "ok 1 - ends with status 0 (got $code)"
test "$answer" = 'y = 3.00 x + 2.00 after 1000 steps' || printf 'not '
echo "ok 2 - finds y = 3 x + 2 in 20 passes of 50 steps (got '$answer')"

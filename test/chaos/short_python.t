#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A short while of chaos with a training in PyTorch; `make chaos PROGRAM=python` has more.
# GLEANER_CHAOS_SEED=n is the history to run.
test "${GLEANER_SYSTEM_TESTS:-yes}" = yes ||
  { echo "1..0 # SKIP GLEANER_SYSTEM_TESTS=no"; exit 0; }
for python in "${PYTHON:-python3}" /usr/bin/python3 ''; do
  test -n "$python" || { echo "1..0 # SKIP no Python with PyTorch and cffi"; exit 0; }
  "$python" -c 'import cffi, torch' 2>/dev/null && break
done
echo 1..1
"$python" "${top_srcdir:-.}/test/chaos/chaos" --build "${top_builddir:-.}" \
  --program python --small --seed "${GLEANER_CHAOS_SEED:-1}" --minutes 0.6 --tap 1
exit 0

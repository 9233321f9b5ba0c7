#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A short while of chaos on each plane; `make chaos` has more.
# GLEANER_CHAOS_SEED=n is the history to run.
test "${GLEANER_SYSTEM_TESTS:-yes}" = yes ||
  { echo "1..0 # SKIP GLEANER_SYSTEM_TESTS=no"; exit 0; }
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
planes=tcp
test "${have_mpi:-yes}" = no || planes="$planes mpi"
# shellcheck disable=SC2086  # a list of words
set -- $planes
echo "1..$#"
n=0
for plane; do
  n=$((n + 1))
  python3 "${top_srcdir:-.}/test/chaos/chaos" --build "${top_builddir:-.}" \
    --comm "$plane" --small --seed "${GLEANER_CHAOS_SEED:-1}" --minutes 0.6 --tap "$n"
done
exit 0

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A short while of chaos; `make chaos` has more.  GLEANER_CHAOS_SEED=n is the
# history to run.
test "${GLEANER_SYSTEM_TESTS:-yes}" = yes ||
  { echo "1..0 # SKIP GLEANER_SYSTEM_TESTS=no"; exit 0; }
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
test "${have_gloo:-yes}" = yes ||
  { echo "1..0 # SKIP built --without-gloo: members cannot be added up"; exit 0; }
exec python3 "${top_srcdir:-.}/test/chaos/chaos" --build "${top_builddir:-.}" \
  --seed "${GLEANER_CHAOS_SEED:-1}" --minutes 0.75 --tap

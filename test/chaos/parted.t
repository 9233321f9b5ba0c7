#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two members that cannot reach each other any more, though both still reach the
# coordinator: on every CPU plane the training goes on without one of them.
test "${GLEANER_SYSTEM_TESTS:-yes}" = yes ||
  { echo "1..0 # SKIP GLEANER_SYSTEM_TESTS=no"; exit 0; }
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
planes=tcp
test "${have_mpi:-yes}" = no || planes="$planes mpi"
exec python3 "${top_srcdir:-.}/test/chaos/parted" "${top_builddir:-.}" $planes

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Have the defects of `make check-mutants` their places in the sources of today?
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
top=${top_srcdir:-.}
echo 1..1
if said=$(python3 "$top/test/unit/runtime/generation/mutants" --list \
          "$top/runtime/generation" 2>&1)
then echo "ok 1 - each defect has its place in the sources once"
else echo "not ok 1 - each defect has its place in the sources once"; fi
echo "$said" | sed 's/^/# /'

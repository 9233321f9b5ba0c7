#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Has each defect of `make check-mutants` its place in the sources of today, and the
# test that must notice it?
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
top=${top_srcdir:-.}
echo 1..1
if said=$(python3 "$top/test/mutants/mutants" --list --source "$top" 2>&1)
then echo "ok 1 - each defect has its place in the sources once, and its test"
else echo "not ok 1 - each defect has its place in the sources once, and its test"; fi
echo "$said" | sed 's/^/# /'

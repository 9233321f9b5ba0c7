#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each plugin exports exactly what its .map names, resolves at loading, and
# does not bring a libslurm of its own into slurmctld.
cd "${top_builddir:-.}" || exit 1
source=$(cd "$OLDPWD" && cd "${top_srcdir:-.}" && pwd)/plugins
if ! test -f plugins/.libs/sched_gleaner.so; then
  echo "1..0 # SKIP plugins are not built (configured without Slurm)"
  exit 0
fi
n=0
check() {  # description, what is wrong ("" when nothing)
  n=$((n + 1))
  if test -z "$2"; then echo "ok $n - $1"
  else echo "not ok $n - $1"; echo "$2" | sed 's/^/# /'; fi
}
exports() {  # plugin, .map
  want=$(sed 's/.*global:\(.*\)local:.*/\1/; s/;/ /g' "$source/$2" | tr -s ' ' '\n' | sed '/^$/d' | sort)
  have=$(nm -D --defined-only "plugins/.libs/$1.so" | awk '{print $3}' | sort)
  test "$want" = "$have" || printf 'wanted: %s\nexported: %s\n' "$(echo $want)" "$(echo $have)"
}
resolves_at_once() {
  readelf -d "plugins/.libs/$1.so" | grep -qE 'FLAGS_1.*NOW|BIND_NOW' || echo "not linked with -z now"
}
no_libslurm() {
  readelf -d "plugins/.libs/$1.so" | grep 'NEEDED.*libslurm'
}
echo 1..15
while read -r plugin map; do
  check "$plugin exports exactly its symbols" "$(exports "$plugin" "$map")"
  check "$plugin resolves its symbols at loading" "$(resolves_at_once "$plugin")"
  check "$plugin does not link libslurm" "$(no_libslurm "$plugin")"
done <<END
sched_gleaner sched/sched_gleaner.map
sched_backfill sched/sched_gleaner.map
job_submit_gleaner job_submit/job_submit_gleaner.map
prep_gleaner prep/prep_gleaner.map
spank_gleaner spank/spank_gleaner.map
END

# SPDX-License-Identifier: Apache-2.0
# What the runtime's tests are written in: one training on this machine, its
# nodes added and taken by hand.  Sourced by the .t files; prints TAP.
#
#     plan 2
#     start_training --local=2 -- --samples 4000
#     wait_for 'nodes == 2'
#     add_node
#     ok 'it grows' 'nodes == 3'
#     end_training

top_builddir=${top_builddir:-.}
build=$(cd "$top_builddir" && pwd)
command -v jq >/dev/null || { echo "1..0 # SKIP no jq"; exit 0; }
test -x "$build/runtime/coordinator/gleaner-coordinator" ||
  { echo "1..0 # SKIP the coordinator is not built"; exit 0; }
test "${GLEANER_SYSTEM_TESTS:-yes}" = yes ||
  { echo "1..0 # SKIP GLEANER_SYSTEM_TESTS=no"; exit 0; }
plane=${GLEANER_COMM:-tcp}
test "$plane" != mpi || test "${have_mpi:-yes}" = yes ||
  { echo "1..0 # SKIP built --without-mpi"; exit 0; }
unset GLEANER_COORDINATOR GLEANER_SECRET_FD GLEANER_SECRET_FILE GLEANER_MEMBER SLURM_JOB_ID
coordinator=
tests=0

dir=$(mktemp -d "${TMPDIR:-/tmp}/gleaner-test-XXXXXX") || exit 1
clean_up() {
  test -z "$coordinator" || kill -9 "$coordinator" 2>/dev/null
  test -n "$keep" || rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

plan() { echo "1..$1"; }

# Usage: start_training RUN-OPTION... -- TRAINER-OPTION...
start_training() {
  run_options=
  while test "$1" != --; do run_options="$run_options $1"; shift; done
  shift
  : >>"$dir/events.jsonl"
  # shellcheck disable=SC2086
  "$build/runtime/coordinator/gleaner-coordinator" --dir "$dir" \
    $run_options -- "${trainer:-$build/test/runtime/trainer}" "$@" \
    >>"$dir/out" 2>>"$dir/err" &
  coordinator=$!
}

# Usage: end_training [SECONDS]: wait for it; its exit status is in $status.
end_training() {
  wait_for ended "${1:-60}" || kill -9 "$coordinator"
  wait "$coordinator"
  status=$?
  coordinator=
}
ended() { ! kill -0 "$coordinator" 2>/dev/null || zombie "$coordinator"; }
zombie() { test "$(ps -o stat= -p "$1" | cut -c1)" = Z; }

# Usage: events JQ-PROGRAM: over the array of all whole lines so far.
events() { jq -rsc -R 'split("\n") | map(fromjson?) | '"$1" "$dir/events.jsonl"; }
count() { events "map(select(.event == \"$1\")) | length"; }
last() { events "map(select(.event == \"$1\")) | last | $2"; }
nodes() { events 'map(select(.event == "generation")) | last | .to // 0'; }
step() { events 'map(select(.event == "step")) | last | .step // 0'; }
pid_of() { last member_started "$1"; }

# Usage: wait_for 'nodes == 2' [SECONDS].  The left side is one of the words
# above; or any command.
wait_for() {
  tries=$((${2:-30} * 20))
  while ! holds "$1"; do
    tries=$((tries - 1))
    test $tries -gt 0 || return 1
    sleep 0.05
  done
}
holds() {
  case $1 in
    *' == '*) test "$(${1%% == *})" = "${1##* == }" ;;
    *' >= '*) test "$(${1%% >= *})" -ge "${1##* >= }" ;;
    *) $1 ;;
  esac
}

# Usage: ok NAME CONDITION [SECONDS]: the condition comes true in time.
ok() {
  tests=$((tests + 1))
  if wait_for "$2" "${3:-30}"; then
    echo "ok $tests - $1"
  else
    echo "not ok $tests - $1"
    echo "# not true in time: $2 (left side: $(${2%% [=>]*} 2>&1))"
    events 'map(select(.event != "step" and .event != "log"))[-8:][]' |
      cut -c1-200 | sed 's/^/# /'
    tail -5 "$dir/err" | sed 's/^/# /'
  fi
}

add_node() { echo add >"$dir/control"; }
remove_node() { echo "remove $1 ${2:-20}" >"$dir/control"; }

# The process of a member of this node; its agent's.
member_on() {
  events "map(select(.event == \"member_started\" and .node == \"$1\"))
    | last | .pid"
}
agent_on() { ps -o ppid= -p "$(member_on "$1")" | tr -d ' '; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# "400": that many samples of the pass were committed, each exactly once, in
# steps that nothing undid.  Else where it goes wrong.
samples_in_order() {
  events '
    reduce .[] as $e ([];
      if $e.event == "step" then . + [$e]
      elif $e.event == "rollback" then map(select(.step <= $e.to_step))
      else . end)
    | [.[].taken[]] | sort
    | reduce .[] as $i ({at: 0};
        if .wrong then . elif $i[0] == .at then .at = $i[1]
        else .wrong = "after \(.at) comes \($i)" end)
    | .wrong // .at'
}
# The trainer's own sum, as it printed it: last line of member 0.
weights() { sed -n 's/^done .*\(weight=[0-9.]*\).*/\1/p' "$dir/out" | sort -u; }

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Comm processes and comm hosts may die at any time: their generation is built
# again, of the same members, and nothing of them is left behind.
GLEANER_COMM=mpi
export GLEANER_COMM
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 13

# The process that sums for the member of a node, and the one that started it.
comm_host_on() { child_of "$(agent_on "$1")" gleaner-comm-host; }
comm_process_on() { child_of "$(comm_host_on "$1")" gleaner-comm-mpi; }
child_of() {
  ps -o pid= -o args= --ppid "$1" | awk -v p="/$2" 'index($2, p) {print $1}'
}
# Where a comm host keeps its files.
files_of() { tr '\0' '\n' <"/proc/$1/cmdline" | sed -n '/^--dir$/{n;p;}'; }
no_file() { ! test -e "$1"; }
changed() { test "$(comm_host_on "$1")" != "$2" && test -n "$(comm_process_on "$1")"; }

start_training --local=3 -- --samples 40000 --params 20000 --step-ms 10
wait_for 'nodes == 3'
wait_for 'step >= 20'
processes() { for n in l1 l2 l3; do comm_process_on $n; done | wc -l; }
ok 'every member has a comm process' 'processes == 3'

before=$(count generation)
kill -9 "$(comm_process_on l2)"
ok 'a killed comm process costs a generation' \
  "count generation >= $((before + 1))" 10
at=$(step)
ok 'of the same members' 'nodes == 3'
ok 'which train on' "step >= $((at + 20))"
ok 'and none was lost' 'count member_lost == 0'

host=$(comm_host_on l1)
kill -9 "$host"
ok 'a killed comm host is started again' "changed l1 $host" 15
at=$(step)
ok 'and the training goes on' "step >= $((at + 20))"
ok 'with all its members' 'count member_lost == 0'

agent=$(agent_on l3)
process=$(comm_process_on l3)
files=$(files_of "$(comm_host_on l3)")
test -d "$files" || files=/
kill -9 "$agent"
ok 'a killed agent takes its comm processes along' "gone $process" 5
ok 'and their files' "no_file $files" 5
ok 'the others train on' 'nodes == 2'

files=$(files_of "$(comm_host_on l1)")
test -d "$files" || files=/
process=$(comm_process_on l1)
kill -TERM "$coordinator"
end_training 10
ok 'a training that is ended leaves no files' "no_file $files" 5
ok 'and no comm process' "gone ${process:-1}" 5

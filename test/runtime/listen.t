#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training listens on the address that its processes call, and on no other.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 9

# Addresses on which processes of this name that belong to this test listen, as
# in /proc/net/tcp: "0100007F" is 127.0.0.1, "00000000" all of them.
listens_on() { # PROGRAM
  for process in $(ps -o pid= -C "$1"); do
    grep -qsaF "$dir" "/proc/$process/cmdline" "/proc/$process/environ" || continue
    ls -l "/proc/$process/fd" 2>/dev/null | sed -n 's/.*socket:\[\([0-9]*\)\]/\1/p'
  done | while read -r inode; do
    awk -v inode="$inode" '$4 == "0A" && $10 == inode { sub(/:.*/, "", $2); print $2 }' \
      /proc/net/tcp /proc/net/tcp6
  done | sort -u | paste -sd' '
}
coordinator_on() { listens_on gleaner-coordin; }
members_on() { listens_on trainer; }
agents_on() { listens_on gleaner-agent; }
says() { grep -c "$1" "$dir/err"; }
MARK=$dir
export MARK

start_training --local=2 -- --samples 4000
wait_for 'nodes == 2'
ok 'a training on one machine has its coordinator on loopback' \
  'coordinator_on == 0100007F'
ok 'and its members' 'members_on == 0100007F'
ok 'its agents listen nowhere' 'agents_on == '
end_training

rm -f "$dir/events.jsonl"
start_training --local=1 --listen=0.0.0.0 -- --samples 1000
wait_for 'nodes == 1'
ok 'told to, it listens on all addresses' 'coordinator_on == 00000000'
end_training
ok 'and finishes' "test $status = 0"

start_training --local=1 --address=192.0.2.1 -- --samples 100
end_training
ok 'an address of another host is refused' "test $status = 2"
ok 'with what is wrong and what to do' \
  'says 192.0.2.1:0.(this.host.has.no.such.address).*--listen == 1'
start_training --local=1 --listen=no.such.host.invalid -- --samples 100
end_training
ok 'and so is a name that leads nowhere' 'says no.such.host.invalid == 1'

rm -f "$dir/events.jsonl"
GLEANER_ADDRESS=192.0.2.1 start_training --local=1 -- --samples 100
ok 'a member says that its address is none of its node' \
  'says trainer:.*192.0.2.1:0.(this.host.has.no.such.*GLEANER_ADDRESS >= 1'
end_training

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The training's secret is in no environment, and in no process that a member
# starts after it has joined.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 13

# The processes of this training: the coordinator and all below it.
processes() {
  ps -o pid=,ppid= -A | awk -v root="$coordinator" '
    { parent[$1] = $2 }
    END { for (p in parent) {
      for (q = p; q in parent && q != root; q = parent[q]) ;
      if (q == root) print p } }'
}
# How many of them have the secret there.
with_secret() {
  for process in $(processes); do
    ! grep -qsaF "$secret" "/proc/$process/$1" || echo "$process"
  done | wc -l
}
in_environments() { with_secret environ; }
in_command_lines() { with_secret cmdline; }
# How many members (or what they are by now) have the secret's descriptor.
descriptors() {
  for process in $(ps -o pid= -C "$1"); do
    ls -l "/proc/$process/fd" 2>/dev/null
  done | grep -c gleaner-secret
}
says() { grep -c "$1" "$dir/err"; }

# --- a file of the user's own, so that this test knows the secret -----------
GLEANER_SECRET_FILE=$dir/secret
export GLEANER_SECRET_FILE
od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$GLEANER_SECRET_FILE"
secret=$(cat "$GLEANER_SECRET_FILE")

chmod 644 "$GLEANER_SECRET_FILE"
start_training --local=1 -- --samples 100
end_training
ok 'a file that others may read is refused' "test $status = 2"
ok 'and its mode and the remedy are told' 'says 0644.*0600 == 1'
chmod 600 "$GLEANER_SECRET_FILE"

start_training --local=2 -- --samples 8000 --step-ms 10
wait_for 'nodes == 2'
ok 'no environment has the secret' 'in_environments == 0'
ok 'nor has a command line' 'in_command_lines == 0'
ok 'members closed its descriptor' 'descriptors trainer == 0'
kill -9 "$(member_on l1)"
wait_for 'count member_lost == 1'
ok 'a member that is started again gets it again' 'nodes == 2'
end_training
ok 'the training finishes' 'samples_in_order == 8000'

# --- a wrapper that closes what it was left ---------------------------------
rm -f "$dir/events.jsonl"
cat >"$dir/wrapper" <<'END'
#!/usr/bin/perl
use POSIX ();
POSIX::close($_) for 3 .. 1023;
exec @ARGV;
END
chmod 755 "$dir/wrapper"
trainer=$dir/wrapper
start_training --local=1 -- "$build/test/runtime/trainer" --samples 400
end_training
ok 'with the file a wrapper may close descriptors' 'samples_in_order == 400'
unset GLEANER_SECRET_FILE
rm -f "$dir/events.jsonl"
start_training --local=1 -- "$build/test/runtime/trainer" --samples 400
ok 'without it the member says what is missing and what to do' \
  'says GLEANER_SECRET_FD.*closed.it.*GLEANER_SECRET_FILE >= 1'
end_training
ok 'and the training fails' "test $status = 3"

# --- without a file: what others see ----------------------------------------
trainer=
rm -f "$dir/events.jsonl"
start_training --local=2 -- --samples 4000
wait_for 'nodes == 2'
secret=GLEANER_MEMBER=
ok 'these are environments of members' 'in_environments == 2'
secret=GLEANER_SECRET=
ok 'environments name the descriptor at most' 'in_environments == 0'
end_training
ok 'a random secret serves as well' 'samples_in_order == 4000'

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Whatever is said to a socket: a clear line in the log, and nothing changes.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 2 --gpus 1
  make_training 400000 40 1 1
  # All of this cluster is on one host.
  sed -i 's/gleaner run /&--address=127.0.0.1 /' "$work/train.sh"
  [[ -z $(why_not) ]] || return 0
  select_cluster
  job=$(submit_training 1-2)
  wait_until 20 "size_is $job 2"
  export job
}
teardown_file() { stop_cluster; }
setup() {
  use_cluster
  gleanerd_log=$cluster/slurm/log/gleanerd.log
  seen=$(wc -l <"$gleanerd_log")
  before=$(leases | sort)
  address=$(sed -n 's/^address: //p' "$GLEANER_CONF")
  munge=$cluster/slurm/run/munge.sock
}
teardown() {
  if [[ -n ${impostor:-} ]]; then  # of a test that failed
    kill -CONT "$(pid_of munged)"
    stop_posing
  fi
  show_logs_on_failure
}

speak() { "$top/test/system/speak" "$@"; }
speak_as_user() { as_user "$top/test/system/speak" "$@"; }

# new_log_says PATTERN: among gleanerd's lines since the test began.
new_log_says() { tail -n +$((seen + 1)) "$gleanerd_log" | grep -qiE "$1"; }

unharmed() {
  wait_for_steps "$job" 10
  [[ $(leases | sort) = "$before" ]]
  [[ $(gleaner status --json | jq '.trainers | length') = 1 ]]
}

malformed=(
  'raw:GET / HTTP/1.0\x0d\x0a\x0d\x0a'
  'raw:\xff\xff\xff\xff'
  'raw:\x00\x00\x00\x05hello'
  'raw:\x00\x00\x00\x02[]'
  '{"type":"no such type"}'
  '{"type":17}'
  '{}'
)

@test "gleanerd's TCP port, before MUNGE" {
  for message in "${malformed[@]}"; do
    run speak tcp "$address" "$message"
    [[ $output = *closed ]]
  done
  wait_until 5 'new_log_says "warn|error"'
  unharmed
}

@test "gleanerd's TCP port, after MUNGE" {
  for message in "${malformed[@]}" '{"type":"Register","job":"all"}' \
    '{"type":"Register"}' '{"type":"Holes","snapshot":{}}'; do
    run speak_as_user tcp "$address" --munge "$munge" "$message"
    echo "$message -> $output"
    [[ $output = *'"accepted"'* && $output = *closed ]]
  done
  wait_until 5 'new_log_says "warn|error"'
  unharmed
}

@test "a frame whose seal is false closes the connection" {
  run speak_as_user tcp "$address" --munge "$munge" --break-seals '{"type":"StatusRequest"}'
  [[ $output = *closed && $output != *StatusReply* ]]
  # The same with true seals is answered.
  run speak_as_user tcp "$address" --munge "$munge" --until StatusReply '{"type":"StatusRequest"}'
  [[ $output = *StatusReply* ]]
}

@test "a credential of another connection, or none, is refused" {
  run speak_as_user tcp "$address" '{"type":"munge","credential":"MUNGE:AAAA:"}'
  [[ $output = *closed ]]
  credential=$(as_user munge -S "$munge" -s other)
  run speak_as_user tcp "$address" "{\"type\":\"munge\",\"credential\":\"$credential\"}"
  [[ $output = *closed && $output != *'"accepted"'* ]]
  unharmed
}

@test "a user cannot register for another user's job" {
  run speak tcp "$address" --munge "$munge" --until RegisterRefused "{\"type\":\"Register\",\"job\":$job,\"leases\":[],\"importance\":{\"weight\":null,\"deadline_s\":null}}"
  echo "$output"
  [[ $output = *RegisterRefused* ]]
  # The other way round: a job of somebody else's.
  theirs=$(setpriv --reuid nobody --regid nogroup --clear-groups timeout 20 \
    sbatch --parsable --hold --malleable=1-2 -D / -o /dev/null --wrap true)
  run speak_as_user tcp "$address" --munge "$munge" --until RegisterRefused "{\"type\":\"Register\",\"job\":$theirs,\"leases\":[],\"importance\":{\"weight\":null,\"deadline_s\":null}}"
  echo "$output"
  [[ $output = *RegisterRefused* ]]
  slurm scancel "$theirs"
}

@test "a registration for a job that does not exist is refused in the end" {
  run speak_as_user tcp "$address" --munge "$munge" --until RegisterRefused --seconds 30 '{"type":"Register","job":4242,"leases":[],"importance":{"weight":null,"deadline_s":null}}'
  [[ $output = *RegisterRefused* ]]
  unharmed
}

@test "a user cannot claim another's lease, nor report what is not his" {
  lease=$(leases | awk '{print $1; exit}')
  run speak tcp "$address" --munge "$munge" --seconds 2 \
    "{\"type\":\"LeaseEnded\",\"node\":\"n1\",\"lease_job\":$lease,\"cause\":\"released\"}"
  # A lease that is told to have ended, and has not, is ended after 2 s.
  ! wait_until 5 "! job_is $lease RUNNING"
  unharmed
}

@test "gleanerd's UNIX socket" {
  for message in "${malformed[@]}" '{"type":"Holes"}' '{"type":"Holes","snapshot":{"time_s":"now"}}'; do
    run speak unix "$cluster/slurm/run/gleaner/gleanerd.sock" "$message"
    echo "$message -> $output"
    [[ $output = *closed ]]
  done
  wait_until 5 'new_log_says "warn|error"'
  unharmed
}

@test "the hint sockets" {
  for socket in hint wake; do
    for message in "${malformed[@]}" '{"type":"arrival","job":-1}'; do
      speak datagram "$cluster/slurm/run/gleaner/$socket.sock" "$message"
    done
  done
  unharmed
}

# --- somebody else has gleanerd's port --------------------------------------

start_gleanerd() {
  "$minicluster" restart "$cluster/slurm" gleanerd
  wait_until 20 "gleaner status --json | jq -e '.trainers[] | select(.state == \"running\")'"
}

stop_gleanerd() {
  local pid
  pid=$(pid_of gleanerd)
  kill -TERM "$pid"
  wait_until 5 "! [[ -e /proc/$pid/environ ]] || ! grep -qz MINICLUSTER_DIR /proc/$pid/environ"
}

# pose_as UID [COMMAND...]: an impostor that says to be of UID.
pose_as() {
  pose_log=$work/pose-$BATS_TEST_NUMBER-$1.log
  touch "$pose_log" && chmod 666 "$pose_log"
  "${@:2}" 3>&- 8>&- &
  impostor=$!
  wait_until 5 "grep -q listening '$pose_log'"
}
stop_posing() {
  pkill -P "$impostor" 2>/dev/null || :
  kill "$impostor" 2>/dev/null || :
  wait "$impostor" 2>/dev/null || :
  impostor=
}

@test "who holds gleanerd's port while it is down gets nothing from a coordinator" {
  stop_gleanerd
  for says in "$(id -u "$test_user")" 0; do
    pose_as "$says" setpriv --reuid "$test_user" --regid "$(id -g "$test_user")" \
      --clear-groups "$top/test/system/pose" "$address" "$says" "$munge" \
      "$work/pose-$BATS_TEST_NUMBER-$says.log" \
      '{"type":"Registered","nodes_min":1,"nodes_max":2,"lease_options":[]}' \
      '{"type":"GiveBack","nodes":["n1","n2"],"deadline_s":0,"cause":"plan"}'
    wait_until 20 "(( \$(grep -c closed '$pose_log') >= 2 ))"
    stop_posing
    cat "$pose_log"
    [[ -z $(grep -e Register -e Progress -e opened "$pose_log") ]]
  done
  # Who gives his own uid is not even shown a credential; it says whose it is.
  [[ -z $(grep got "$work/pose-$BATS_TEST_NUMBER-$(id -u "$test_user").log") ]]
  grep -q 'answers in place of gleanerd' "$work/$job.out"
  start_gleanerd
  unharmed
}

@test "srun's options are of a list, even when gleanerd itself is bad" {
  stop_gleanerd
  # Of root: coordinators believe it.  A node that the training does not hold.
  pose_as 0 "$top/test/system/pose" "$address" 0 "$munge" \
    "$work/pose-$BATS_TEST_NUMBER-0.log" \
    "{\"type\":\"Registered\",\"nodes_min\":1,\"nodes_max\":2,\"lease_options\":[\"--partition=lease\",\"--prolog=$work/evil\"]}" \
    '{"type":"Grant","node":"n9","part":null,"ticket":"gleaner1:0:n9:0:1:0:0:00:00","minutes":1,"until_s":0}'
  wait_until 20 "grep -q LeaseFailed '$pose_log'"
  stop_posing
  grep LeaseFailed "$pose_log"
  grep -q -e '--prolog=.*is not passed on to srun' "$pose_log"
  start_gleanerd
  unharmed
}

@test "munged hangs while a coordinator connects: its training goes on" {
  stop_gleanerd
  local munged
  munged=$(pid_of munged)
  kill -STOP "$munged"
  # Its challenge is believed, so munged is asked.
  pose_as 0 "$top/test/system/pose" "$address" 0 "$munge" \
    "$work/pose-$BATS_TEST_NUMBER-0.log"
  wait_until 10 "grep -q challenged '$pose_log'"
  wait_for_steps "$job" 10
  lost=$(events_of "$job" member_lost | wc -l)
  signal KILL -u "$test_user" -n trainer
  wait_until 5 "(( \$(events_of $job member_lost | wc -l) > $lost ))"
  wait_for_steps "$job" 10
  kill -CONT "$munged"
  stop_posing
  start_gleanerd
  wait_until 40 "[[ \$(lease_count) = 2 ]]"
  before=$(leases | sort)
  unharmed
}

# --- somebody takes what he can get -----------------------------------------

# answers_within SECONDS: gleanerd tells root its status, and takes part.
answers_within() {
  local began=$EPOCHREALTIME
  timeout "$1" gleaner status --json >/dev/null
  echo "status after $(awk "BEGIN {print $EPOCHREALTIME - $began}") s"
}

# A lease that ends is lent again: gleanerd, Slurm and the training all answer.
leases_go_on() {
  local lease
  lease=$(leases | awk '{print $1; exit}')
  slurm scancel "$lease"
  wait_until 20 "[[ -z \$(job_state $lease) || \$(job_state $lease) = COMPLETING ]]"
  wait_until 40 "[[ \$(lease_count) = 2 ]]"
}

@test "5,000 connections that say nothing do not stop leases" {
  as_user bash -c "ulimit -n 6000; exec '$top/test/system/flood' silent $address 12 5000" >"$work/flood.log" 3>&- 8>&- &
  flood=$!
  sleep 1 # the flood is under way
  answers_within 10
  leases_go_on
  kill -0 "$flood" || wait_until 1 "grep -q connections '$work/flood.log'"
  wait "$flood"
  cat "$work/flood.log"
  (($(sed 's/ .*//' "$work/flood.log") >= 5000))
  new_log_says "have not proved who they are"
  before=$(leases | sort)
  unharmed
}

@test "a user who asks for the status all the time does not delay others" {
  as_user "$top/test/system/flood" said "$address" 8 20 "$munge" '{"type":"StatusRequest"}' >"$work/flood.log" 3>&- 8>&- &
  flood=$!
  sleep 1 # the flood is under way
  answers_within 5
  leases_go_on
  wait "$flood"
  cat "$work/flood.log"
  new_log_says "too many questions of this user"
  before=$(leases | sort)
  unharmed
}

@test "a user who registers all the time leaves no row, and delays nobody" {
  journal=$cluster/slurm/state/gleaner/journal.sqlite
  rows=$(sqlite3 "$journal" 'SELECT count(*) FROM event')
  as_user "$top/test/system/flood" said "$address" 8 20 "$munge" '{"type":"Register","job":4242,"leases":[],"importance":{"weight":null,"deadline_s":null}}' >"$work/flood.log" 3>&- 8>&- &
  flood=$!
  sleep 1 # the flood is under way
  answers_within 5
  wait "$flood"
  cat "$work/flood.log"
  [[ $(sqlite3 "$journal" "SELECT count(*) FROM event WHERE data LIKE '%4242%'") = 0 ]]
  echo "rows: $rows, then $(sqlite3 "$journal" 'SELECT count(*) FROM event')"
  (($(sqlite3 "$journal" 'SELECT count(*) FROM event') - rows < 50))
  unharmed
}

@test "frames before the handshake have 4 KiB at most, and 1 MiB after it" {
  run speak tcp "$address" 'raw:\x00\x00\x10\x01'
  [[ $output = *closed ]]
  run speak tcp "$address" --seconds 2 'raw:\x00\x00\x10\x00'
  [[ $output != *closed ]] # 4,096 bytes are waited for
  run speak_as_user tcp "$address" --munge "$munge" 'raw:\x00\x10\x00\x01'
  [[ $output = *closed ]]
  run speak_as_user tcp "$address" --munge "$munge" --seconds 2 'raw:\x00\x10\x00\x00'
  [[ $output = *'"accepted"'* && $output != *closed ]]
  unharmed
}

@test "a message nested a million times harms nobody" {
  nested=$(printf '[%.0s' {1..100000})
  run speak_as_user tcp "$address" --munge "$munge" "{\"type\":\"Register\",\"job\":$nested"
  [[ $output = *closed ]]
  unharmed
}

# Ports of the training: what its processes listen on.
training_ports() { # PROGRAM
  local pid inode port
  for pid in $(pids -u "$test_user" "$1"); do
    for inode in $(ls -l "/proc/$pid/fd" | sed -n 's/.*socket:\[\([0-9]*\)\]/\1/p'); do
      awk -v inode="$inode" '$4 == "0A" && $10 == inode {sub(/.*:/, "", $2); print $2}' /proc/net/tcp /proc/net/tcp6
    done
  done | sort -u | while read -r port; do echo $((16#$port)); done
}

@test "the coordinator's port: malformed messages and a wrong secret" {
  ports=$(training_ports gleaner-coord)
  [[ -n $ports ]]
  for port in $ports; do
    for message in "${malformed[@]}"; do
      run speak tcp 127.0.0.1:"$port" "$message"
      [[ $output = *closed ]]
    done
    run speak tcp 127.0.0.1:"$port" \
      '{"type":"answer","role":"member","id":"1","nonce":"00","hmac":"00"}'
    [[ $output = *closed && $output != *accepted* ]]
  done
  unharmed
}

@test "a member's ports" {
  ports=$(training_ports trainer)
  [[ -n $ports ]]
  lost=$(events_of "$job" member_lost | wc -l)
  for port in $ports; do
    for message in "${malformed[@]}"; do
      speak tcp 127.0.0.1:"$port" --seconds 1 "$message"
    done
  done
  unharmed
  [[ $(events_of "$job" member_lost | wc -l) = "$lost" ]]
}

@test "a training's processes listen where its nodes call, and nowhere else" {
  local program pid inode address
  for program in gleaner-coord trainer gleaner-agent; do
    for pid in $(pids -u "$test_user" "$program"); do
      for inode in $(ls -l "/proc/$pid/fd" | sed -n 's/.*socket:\[\([0-9]*\)\]/\1/p'); do
        address=$(awk -v inode="$inode" '$4 == "0A" && $10 == inode {print $2}' /proc/net/tcp /proc/net/tcp6)
        [[ -z $address ]] || echo "$program ${address%:*}"
      done
    done
  done | sort | uniq -c | tee "$work/listening"
  # 127.0.0.1; agents listen on no port.
  [[ $(awk '{print $2, $3}' "$work/listening") = "gleaner-coord 0100007F
trainer 0100007F" ]]
}

@test "5,000 connections that say nothing keep no member from joining" {
  local port lost
  for port in $(training_ports gleaner-coord) $(training_ports trainer); do
    as_user bash -c "ulimit -n 6000; exec '$top/test/system/flood' silent 127.0.0.1:$port 20 5000" >"$work/flood-$port.log" 3>&- 8>&- &
  done
  sleep 1 # the floods are under way
  lost=$(events_of "$job" member_lost | wc -l)
  signal KILL -u "$test_user" -n trainer
  wait_until 10 "(( \$(events_of $job member_lost | wc -l) > $lost ))"
  # The next member connects from the same address, proves the secret, and copies
  # the state from the one that is left, through its port.
  wait_until 10 "size_is $job 2"
  [[ $(jobs -r) = *flood* ]] # the floods still are
  wait
  cat "$work"/flood-*.log
  # That of the coordinator and that of the member that is left.
  (($(awk '$1 >= 5000' "$work"/flood-*.log | wc -l) >= 2))
  grep -q 'have not proved the secret' "$work/$job.out"
  # Not a line for each of them.
  (($(grep -c connection_refused "$work/$job.out") < 20))
  unharmed
}

@test "frames before the secret is proven have 4 KiB at most" {
  local port
  for port in $(training_ports gleaner-coord) $(training_ports trainer); do
    run speak tcp 127.0.0.1:"$port" 'raw:\x00\x00\x10\x01'
    [[ $output = *closed ]]
    run speak tcp 127.0.0.1:"$port" --seconds 2 'raw:\x00\x00\x10\x00'
    [[ $output != *closed ]] # 4,096 bytes are waited for
    run speak tcp 127.0.0.1:"$port" --seconds 12 'raw:\x00\x00\x10\x00'
    [[ $output = *closed ]] # for 5 or 10 seconds
  done
  unharmed
}

@test "a training's secret is in no environment, command line, log or state of Slurm" {
  local agent secret pid file
  agent=$(pids -u "$test_user" gleaner-agent | head -n 1)
  [[ -n $agent ]]
  for file in "/proc/$agent/fd"/*; do
    [[ $(readlink "$file") != *gleaner-secret* ]] || secret=$(cat "$file")
  done
  [[ $secret =~ ^[0-9a-f]{64}$ ]]
  for pid in $(pids .); do
    if grep -qsaF "$secret" "/proc/$pid/environ" "/proc/$pid/cmdline"; then
      echo "process $pid has it: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
      return 1
    fi
  done
  # slurmctld's StateSaveLocation, slurmd's spool and everybody's log.
  run grep -rlaF -D skip "$secret" "$cluster"
  [[ -z $output ]]
  # Members have closed theirs: what they start gets none.
  for pid in $(pids -u "$test_user" trainer); do
    run ls -l "/proc/$pid/fd"
    [[ $output != *gleaner-secret* ]]
  done
  unharmed
}

@test "an unreadable gleaner.yaml: gleanerd says where and does not start" {
  for text in 'policy: [' 'policy: magic' 'colour: red' 'scan_interval_ms: soon' 'scan_interval_ms: -5'; do
    echo "$text" >"$work/bad.yaml"
    run gleanerd --config "$work/bad.yaml" --check-config
    echo "$text -> $status $output"
    [[ $status != 0 && $output = *bad.yaml* ]]
  done
  run gleanerd --config "$work/none.yaml" --check-config
  [[ $status != 0 && $output = *none.yaml* ]]
  run gleanerd --check-config
  [[ $status = 0 && $output = *"policy: gleaner"* ]]
}

@test "an unreadable gleaner.yaml: Slurm works, --malleable is refused" {
  cp "$GLEANER_CONF" "$work/good.yaml"
  echo 'colour: [' >"$GLEANER_CONF"
  "$minicluster" restart "$cluster/slurm" slurmctld
  as_user timeout 20 srun -p head true
  run as_user timeout 20 sbatch --malleable=1-2 --wrap true
  echo "$output"
  [[ $status != 0 && $output = *gleaner.yaml* ]]
  run as_user timeout 20 srun -p lease --reservation=gleaner true
  [[ $status != 0 ]]
  cp "$work/good.yaml" "$GLEANER_CONF"
  "$minicluster" restart "$cluster/slurm" slurmctld
  wait_until 20 unharmed
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Whatever is said to a socket: a clear line in the log, and nothing changes.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 2 --gpus 1
  make_training 400000 40 1 1
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
teardown() { show_logs_on_failure; }

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

@test "a credential of another connection, or none, is refused" {
  run speak_as_user tcp "$address" '{"type":"munge","credential":"MUNGE:AAAA:"}'
  [[ $output = *closed ]]
  credential=$(as_user munge -S "$munge" -s other)
  run speak_as_user tcp "$address" "{\"type\":\"munge\",\"credential\":\"$credential\"}"
  [[ $output = *closed && $output != *'"accepted"'* ]]
  unharmed
}

@test "a user cannot register for another user's job" {
  run speak tcp "$address" --munge "$munge" "{\"type\":\"Register\",\"job\":$job,\"leases\":[]}"
  echo "$output"
  [[ $output = *RegisterRefused* ]]
  # The other way round: a job of root's.
  theirs=$(slurm sbatch --parsable --hold --malleable=1-2 -o /dev/null --wrap true)
  run speak_as_user tcp "$address" --munge "$munge" "{\"type\":\"Register\",\"job\":$theirs,\"leases\":[]}"
  echo "$output"
  [[ $output = *RegisterRefused* ]]
  slurm scancel "$theirs"
}

@test "a registration for a job that does not exist is refused in the end" {
  run speak_as_user tcp "$address" --munge "$munge" --seconds 30 '{"type":"Register","job":4242,"leases":[]}'
  [[ $output = *RegisterRefused* ]]
  unharmed
}

@test "a user cannot claim another's lease, nor report what is not his" {
  lease=$(leases | awk '{print $1; exit}')
  run speak tcp "$address" --munge "$munge" \
    "{\"type\":\"LeaseEnded\",\"node\":\"n1\",\"lease_job\":$lease,\"cause\":\"released\"}"
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

# Ports of the training: what its processes listen on.
training_ports() { # PROGRAM
  local pid inode port
  for pid in $(pgrep -u "$test_user" "$1"); do
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
  for port in $ports; do
    for message in "${malformed[@]}"; do
      speak tcp 127.0.0.1:"$port" --seconds 1 "$message"
    done
  done
  unharmed
  [[ -z $(events_of "$job" member_lost) ]]
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

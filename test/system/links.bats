#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Scaling is learned where gradients really cross a network: nodes are network
# namespaces whose links are shaped.  Nothing is told about the trainings.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 5 --links 100mbit --set scaling=measured --set forward_looking_s=120
  # 840 samples of 0.3 ms: 252 ms on one node, which all sizes divide.
  make_training 400000000 840 1 0.3
  cp "$work/train.sh" "$work/quiet.sh"
  # 3 MB of gradients: 2 (m - 1) / m x 251 ms on these links.  No size is faster
  # than one node.
  sed '2i export TRAINER_FLOATS=750000' "$work/train.sh" >"$work/talks.sh"
  chmod 755 "$work/talks.sh"
}
teardown_file() {
  [[ -n ${cluster:-} ]] || return 0
  local name
  name=$(network_name)
  [[ -e /sys/class/net/$name ]]
  stop_cluster
  # What was made for the cluster went with it.
  [[ ! -e /sys/class/net/$name ]]
}
setup() { use_cluster; }
teardown() {
  [[ -z ${hogs:-} ]] || kill -- $hogs
  show_logs_on_failure
  cancel_all
}

# Other clusters of this machine may have bridges, too.
network_name() { sed -n 's/^port=/gm/p' "$cluster/slurm/etc/minicluster.settings"; }

submit_named() { submitted --malleable=1-5 -J "$1" "$work/$1.sh"; }

# Of 5 nodes the one that hardly talks has all but one.
shared() { (($(size_of "$1") >= 4 && $(size_of "$2") == 1)); }

# expected JOB NODES: samples/s.
expected() {
  slurm gleaner profile "$1" --json |
    jq --argjson n "$2" '.curve[] | select(.nodes == $n).expected'
}
measured_on() {
  [[ $(slurm gleaner profile "$1" --json | jq --argjson n "$2" \
    'any(.measured[]; .nodes == $n and .steps >= 10)') = true ]]
}

@test "nodes have networks of their own, and trainings run over them" {
  job=$(submit_named quiet)
  wait_until 60 "size_is $job 5"
  # The members' connections are between nodes, not on loopback.
  prefix=$(sed -n 's/^address: \(.*\)\.1:.*/\1/p' "$cluster/slurm/etc/gleaner.yaml")
  [[ $prefix = 198.1* ]]
  wait_until 20 "nsenter --net=/run/netns/$(network_name)-n1 ss -Htn state established |
    grep -qF '$prefix.3:'"
}

@test "nodes go where links do not hold a training up" {
  talks=$(submit_named talks)
  quiet=$(submit_named quiet)
  wait_until 120 "shared $quiet $talks"
  for _ in {1..20}; do
    shared "$quiet" "$talks"
    sleep 0.5
  done
}

@test "they do beside a program that takes all processors" {
  hogs=
  for _ in $(seq "$(nproc)"); do
    setsid sh -c 'while :; do :; done' &
    hogs+=" -$!"
  done
  talks=$(submit_named talks)
  quiet=$(submit_named quiet)
  wait_until 120 "shared $quiet $talks"
}

@test "what is expected over links is near what they give" {
  job=$(submit_named talks)
  # It begins with all nodes, or with fewer where one of its family was there
  # before, and leaves those that are no use to it.
  wait_until 90 "measured_on $job 1"
  slurm gleaner profile "$job"
  # On 5 nodes: 50.4 ms of computing, and 1.6 x 251 ms on the links.
  awk -v e="$(expected "$job" 5)" 'BEGIN {
    off = e / (840 / 0.452) - 1; print "5 nodes: off by", off; exit !(off < 0.2 && off > -0.2)}'
  # No size is expected to be much faster than one.
  [[ $(slurm gleaner profile "$job" --json |
    jq '[.curve[].expected] | max / .[0] < 1.3') = true ]]
}

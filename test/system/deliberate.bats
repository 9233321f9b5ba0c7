#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Some sizes are worth knowing although no plan would reach them: trainings visit
# them, only to be measured there (profile_share).
#
# Two trainings share eight nodes, and no node is idle, so none is there to try with.
# One gains from each node more than the other, which nobody told.

load helpers
load training

share=0.1

setup_file() {
  take_turn
  start_cluster --nodes 8 --set scaling=measured --set forward_looking_s=120 \
    --set profile_share="${DELIBERATE_SHARE:-$share}"
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

# submit_like NAME SAMPLE_MS LATENCY_S, as in profile.bats.
submit_like() {
  make_training 400000000 840 1 "$2"
  sed -i "2i export GLEANER_SLOW_LINK=$3,1e9" "$work/train.sh"
  cp "$work/train.sh" "$work/$1.sh"
  submitted --malleable=1-8 -J "$1" "$work/$1.sh"
}

profile() { slurm gleaner profile "$@"; }

# visits QUERY: of the journal's rows of visits that were measured.
visits() {
  sqlite3 -readonly "$cluster/slurm/state/gleaner/journal.sqlite" \
    "SELECT $1 FROM event WHERE event = 'profile_ended'
     AND json_extract(data, '\$.how') = 'measured'"
}
is_visited() { (($(visits 'count(*)') >= 1)); }

# speed NODES LINK_S: in multiples of one node, at 0.3 ms for each of 840
# samples and so long for each of the 2 (m - 1) links.
speed() { awk -v m="$1" -v link="$2" \
  'BEGIN {print 0.252 / (0.252 / m + 2 * (m - 1) * link)}'; }

# together SCALES TALKS: how many single nodes they are worth at their sizes.
together() {
  local a b
  a=$(size_of "$1") b=$(size_of "$2")
  ((a >= 1 && b >= 1)) || return 1
  awk -v a="$(speed "$a" 0.001)" -v b="$(speed "$b" 0.008)" 'BEGIN {print a + b}'
}

# The best is 6.61, on 6 and 2 nodes; half of the nodes each makes 5.92.
is_near_the_best() {
  local worth
  worth=$(together "$1" "$2") && awk -v w="$worth" 'BEGIN {exit !(w >= 0.97 * 6.61)}'
}

# settled SCALES TALKS: by the plan, not by a visit.
settled() {
  is_near_the_best "$1" "$2" && ! { profile "$1" && profile "$2"; } | grep -q 'nodes now;'
}

# says_so JOB: it is, or was just, on a visit.
says_so() { profile "$1" | grep -E 'measured on purpose: on [1-8] nodes'; }

# The first look comes before both are measured at their sizes, the next one as soon
# as they are.
@test "a size that no plan reaches is measured on purpose, and the plan is better for it" {
  scales=$(submit_like scales 0.3 0.001)
  talks=$(submit_like talks 0.3 0.008)
  wait_until 120 "says_so $scales || says_so $talks"
  wait_until 60 is_visited
  wait_until 120 "settled $scales $talks"
  profile "$scales"
  profile "$talks"
  # An hour's part is given in advance.
  visits "json_extract(data, '\$.spent_node_s'), json_extract(data, '\$.lent_node_s')" |
    tee /dev/stderr |
    awk -F'|' -v share="$share" '$1 <= 0 || $1 > 1.2 * share * ($2 + 8 * 3600) {exit 1}'
}

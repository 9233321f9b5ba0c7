#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Trainings leave before Slurm takes: jobs of several nodes arrive over leases
# of several trainings.  GLEANER_NOTICE_JOBS sets how many (12); the count of
# losses is printed (bats --show-output-of-passing-tests).

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 8 --gpus 0
  make_training 4000000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

# all_nodes_train TRAINING...: all eight nodes are in generations.
all_nodes_train() {
  local job total=0
  for job in "$@"; do total=$((total + $(size_of "$job"))); done
  ((total == 8))
}

# Members that were lost while the training ran, of all trainings.
losses() {
  local job
  for job in "$@"; do events_of "$job" member_lost; done | wc -l
}

# set_option KEY VALUE: in gleaner.yaml, for gleanerd and the plugins.
set_option() {
  local yaml=$cluster/slurm/etc/gleaner.yaml
  sed "/^$1:/d" "$yaml" >"$yaml.new"
  echo "$1: $2" >>"$yaml.new"
  mv "$yaml.new" "$yaml"
  kill -HUP "$(pid_of gleanerd)"
}

# How often leases of at least two trainings ended in one burst, six in all.
released_together() {
  sqlite3 -readonly "$cluster/slurm/state/gleaner/journal.sqlite" \
    "SELECT data FROM event WHERE event = 'released'" |
    jq -s '[group_by(.burst)[] | select(length > 1 and (map(.nodes) | add) == 6)] | length'
}

# Was a node asked back for this reason?
asked_back_for() {
  sqlite3 -readonly "$cluster/slurm/state/gleaner/journal.sqlite" \
    "SELECT data FROM event WHERE event = 'give_back'" | grep -q "\"$1\""
}

@test "a job with --begin finds its nodes free when its time comes" {
  a=$(submit_training 1-8) b=$(submit_training 1-8)
  wait_until 60 "all_nodes_train $a $b"
  before=$(losses "$a" "$b")
  at=$((EPOCHSECONDS + 10))
  rigid=$(rigid 6 --begin="$(date -d "@$at" +%FT%T)")
  wait_until 30 "job_is $rigid RUNNING"
  began=$(date -d "$(slurm squeue -h -j "$rigid" -o %S)" +%s)
  echo "started $((began - at)) s after its time"
  # Slurm looks at such a job in its next backfill cycle, every 2 s here.
  ((began - at <= 4))
  [[ $(losses "$a" "$b") = "$before" ]]
  asked_back_for planned_start
}

# take JOBS TRAINING...: jobs of six nodes, one after the other; prints how long
# each waited, and counts the members that were lost in `lost`.
take() {
  local jobs=$1 before rigid i
  shift
  before=$(losses "$@")
  for ((i = 0; i < jobs; ++i)); do
    rigid=$(rigid 6)
    wait_until 15 "job_is $rigid RUNNING"
    [[ $(slurm scontrol show job "$rigid") != *gleaner:notice* ]]
    echo "job $rigid started $waited_s s after sbatch had ended"
    slurm scancel "$rigid"
    wait_until 40 "all_nodes_train $*"
  done
  lost=$(($(losses "$@") - before))
  echo "losses: $lost of the members on $((6 * jobs)) nodes that $jobs jobs took"
}

@test "trainings leave together for jobs of several nodes, without notice, too" {
  set_option arrival_notice_s 0
  a=$(submit_training 1-8) b=$(submit_training 1-8) c=$(submit_training 1-8)
  wait_until 60 "all_nodes_train $a $b $c"
  jobs=${GLEANER_NOTICE_JOBS:-12}
  take "$jobs" "$a" "$b" "$c"
  together=$(released_together)
  echo "released together: $together of $jobs"
  # slurmctld looks at its queue each second, whatever we do; on a machine that
  # is slow it often comes first.
  ((together > 0))
}

@test "with the notice that sbatch has by default nothing is lost for them" {
  # Seconds enough for a slow machine; on a quick one nobody waits for them.
  set_option arrival_notice_s 4
  set_option give_back_s 3
  a=$(submit_training 1-8) b=$(submit_training 1-8) c=$(submit_training 1-8)
  wait_until 60 "all_nodes_train $a $b $c"
  take "${GLEANER_NOTICE_JOBS:-12}" "$a" "$b" "$c"
  ((lost == 0))
}

# How many leases have been asked back.
asked_back() {
  sqlite3 -readonly "$cluster/slurm/state/gleaner/journal.sqlite" \
    "SELECT count(*) FROM event WHERE event = 'give_back'"
}

@test "where leases have an Epilog, a node that completes stays its job's place" {
  printf '#!/bin/sh\nsleep 2\n' >"$work/epilog"
  chmod 755 "$work/epilog"
  echo "Epilog=$work/epilog" >>"$cluster/slurm/etc/slurm.conf"
  slurm scontrol reconfigure
  set_option arrival_notice_s 10
  set_option give_back_s 3
  a=$(submit_training 1-8)
  wait_until 60 "size_is $a 8"
  for _ in 1 2 3; do
    asked=$(asked_back)
    rigid=$(rigid 6)
    wait_until 30 "job_is $rigid RUNNING"
    asked=$(($(asked_back) - asked))
    echo "job $rigid started $waited_s s after sbatch had ended; asked back: $asked"
    ((asked == 6))
    slurm scancel "$rigid"
    wait_until 60 "size_is $a 8"
  done
  sed -i '/^Epilog=/d' "$cluster/slurm/etc/slurm.conf"
  slurm scontrol reconfigure
}

@test "with arrival_notice_s a job that needs no leased node does not wait" {
  set_option arrival_notice_s 4
  a=$(submit_training 1-4)
  wait_until 60 "size_is $a 4"
  rigid=$(rigid 4)
  [[ $(slurm scontrol show job "$rigid") != *gleaner:notice* ]]
  wait_until 15 "job_is $rigid RUNNING"
  echo "started $waited_s s after sbatch had ended"
  size_is "$a" 4
}

@test "with arrival_notice_s a job starts although gleanerd is gone" {
  set_option arrival_notice_s 4
  a=$(submit_training 1-8)
  wait_until 60 "size_is $a 8"
  kill -KILL "$(pid_of gleanerd)"
  rigid=$(rigid 6)
  [[ $(slurm scontrol show job "$rigid") = *gleaner:notice* ]]
  # Its time passes, and backfill comes every 2 s here.
  wait_until 15 "job_is $rigid RUNNING"
  "$minicluster" restart "$cluster/slurm" gleanerd
}

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

@test "trainings leave together for jobs of several nodes that come by sbatch" {
  a=$(submit_training 1-8) b=$(submit_training 1-8) c=$(submit_training 1-8)
  wait_until 60 "all_nodes_train $a $b $c"
  before=$(losses "$a" "$b" "$c")
  jobs=${GLEANER_NOTICE_JOBS:-12}
  for ((i = 0; i < jobs; ++i)); do
    rigid=$(rigid 6)
    wait_until 15 "job_is $rigid RUNNING"
    slurm scancel "$rigid"
    wait_until 40 "all_nodes_train $a $b $c"
  done
  lost=$(($(losses "$a" "$b" "$c") - before))
  echo "losses: $lost of the members on $((6 * jobs)) nodes that $jobs jobs took"
  together=$(released_together)
  echo "released together: $together of $jobs"
  # slurmctld looks at its queue each second, whatever we do; on a machine that
  # is slow it often comes first.
  ((together > 0))
}

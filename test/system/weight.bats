#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Weights share out the nodes that a user's trainings have together.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 4 --gpus 1
  make_training 400000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

weight_of() { # JOB: as gleaner status shows it
  gleaner status --json | jq ".trainers[] | select(.job == $1) | .weight" |
    awk '{print $1 + 0}'
}

# Two trainings that wait for the same nodes; the one submitted last has the
# larger weight.
submit_both() {
  rigid=$(rigid 4)
  wait_until 10 "job_is $rigid RUNNING"
  light=$(submit_training 1-3 --malleable-weight=1)
  heavy=$(submit_training 1-3 --malleable-weight=4 --malleable-deadline=now+1hour)
  wait_until 20 "[[ -n \$(events_of $light registered) ]]"
  wait_until 20 "[[ -n \$(events_of $heavy registered) ]]"
  scancel "$rigid"
}

@test "of two equal trainings the one of weight 4 gets three nodes of four" {
  submit_both
  wait_until 30 "size_is $heavy 3"
  wait_until 30 "size_is $light 1"
  [[ $(weight_of "$heavy") = 4 && $(weight_of "$light") = 1 ]]
  deadline=$(gleaner status --json |
    jq ".trainers[] | select(.job == $heavy) | .deadline_s | floor")
  ((deadline > $(date +%s) + 3000 && deadline <= $(date +%s) + 3600))
  [[ $(slurm scontrol show job "$heavy") = *"weight=4 deadline=$deadline "* ]]
  wait_for_steps "$light" 5
}

@test "a training that raises its weight while it runs gets the others' nodes" {
  submit_both
  wait_until 30 "size_is $light 1"
  wait_until 30 "size_is $heavy 3"
  echo 10 >"$work/run-$light/weight"
  wait_until 40 "size_is $light 3"
  wait_until 30 "size_is $heavy 1"
  [[ $(weight_of "$light") = 10 ]]
  [[ $(events_of "$light" weight | jq -s length) = 1 ]]
  wait_for_steps "$heavy" 5
}

@test "gleaner run --weight and GLEANER_WEIGHT count instead of sbatch's" {
  sed 's|gleaner run|& --weight=2.5 --deadline=now+2hours|' "$work/train.sh" >"$work/weighed.sh"
  chmod 755 "$work/weighed.sh"
  option=$(submitted --malleable=1-1 --malleable-weight=4 "$work/weighed.sh")
  variable=$(GLEANER_WEIGHT=0.5 submitted --malleable=1-1 --export=ALL,GLEANER_WEIGHT=0.5 "$work/train.sh")
  wait_until 20 "[[ \$(weight_of $option) = 2.5 ]]"
  wait_until 20 "[[ \$(weight_of $variable) = 0.5 ]]"
  [[ $(gleaner status) = *WEIGHT* ]]
  wrong=$(submitted --malleable=1-1 --export=ALL,GLEANER_WEIGHT=11 --output="$work/wrong.log" "$work/train.sh")
  wait_until 20 "[[ \$(job_end $wrong) = FAILED ]]"
  wait_until 10 "grep -q \"GLEANER_WEIGHT='11': not a weight\" $work/wrong.log"
}

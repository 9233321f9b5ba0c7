#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Many leases are ended at once, while a slurmd does not answer.
# GLEANER_LEASES sets how many (64); how long it took is printed
# (bats --show-output-of-passing-tests).

load helpers

setup_file() {
  take_turn
  leases=${GLEANER_LEASES:-64}
  # Eight on each node.  A call that waits for a slurmd waits for a minute.
  start_cluster --nodes $((leases / 8)) --cpus 8 --gpus 0 --without-gleaner \
    --slurm MessageTimeout=60 --slurm SlurmdTimeout=300
}
teardown_file() { stop_cluster; }
setup() {
  use_cluster
  leases=${GLEANER_LEASES:-64}
  program=$work/end_leases
  install -m 755 "$build/test/system/end_leases" "$program"
}
teardown() {
  [[ -z ${stopped:-} ]] || kill -CONT "$stopped"
  show_logs_on_failure
  cancel_all
}

running() { slurm squeue -h -a -r -t RUNNING -o %A; }
count_is() { [[ $(running | wc -l) = "$1" ]]; }

@test "many leases end although one slurmd does not answer" {
  as_user timeout 120 "$program" make "$leases"
  count_is "$leases"
  stopped=$(pid_of n1)
  kill -STOP "$stopped"
  # shellcheck disable=SC2046
  took_s=$("$program" $(running))
  echo "ended $leases leases in $took_s s"
  count_is 0
  # A call that had waited for the slurmd would have taken MessageTimeout.
  awk -v s="$took_s" 'BEGIN { exit !(s < 30) }'
  # All but those of the node that does not answer are over.
  wait_until 60 "[[ \$(slurm squeue -h -a -r -t COMPLETING -o %N | sort -u) = n1 ]]"
}

@test "those that are over already are no failure" {
  job=$(submitted --ntasks=1 --wrap true)
  wait_until 20 "[[ \$(job_end $job) = COMPLETED ]]"
  "$program" "$job" 4000000
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Many leases are ended at once, while a slurmd does not answer.
# GLEANER_LEASES sets how many (64), GLEANER_STEPS how many that run a program
# (24); how long it took is printed (bats --show-output-of-passing-tests).

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

steps_are() { [[ $(slurm squeue -h -s -t RUNNING -o %i | grep -c '\.0$') = "$1" ]]; }

# What slurmctld has used of a processor, in s.
slurmctld_cpu_s() {
  awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }' \
    "/proc/$(pid_of slurmctld)/stat"
}

# end_all JOB...: says how long it took, and what it cost slurmctld.
end_all() {
  local before=$(slurmctld_cpu_s)
  took_s=$(timeout 300 "$program" "$@")
  echo "ended $# jobs in $took_s s, slurmctld used $(
    awk -v a="$before" -v b="$(slurmctld_cpu_s)" 'BEGIN { print b - a }') s"
}

running() { slurm squeue -h -a -r -t RUNNING -o %A; }
count_is() { [[ $(running | wc -l) = "$1" ]]; }

@test "many leases end although one slurmd does not answer" {
  as_user timeout 120 "$program" make "$leases"
  count_is "$leases"
  stopped=$(pid_of n1)
  kill -STOP "$stopped"
  # shellcheck disable=SC2046
  end_all $(running)
  count_is 0
  # A call that had waited for the slurmd would have taken MessageTimeout.
  awk -v s="$took_s" 'BEGIN { exit !(s < 30) }'
  # All but those of the node that does not answer are over.
  wait_until 60 "[[ \$(slurm squeue -h -a -r -t COMPLETING -o %N | sort -u) = n1 ]]"
  kill -CONT "$stopped"
  stopped=
  wait_until 60 '[[ -z $(slurm squeue -h) ]]'
}

# As agents are: a program that leaves on SIGTERM, in a step of its own.
@test "many leases whose agents run end, each agent by itself" {
  count=${GLEANER_STEPS:-24}
  left=$work/left
  install -d -m 777 "$left"
  for ((i = 0; i < count; ++i)); do
    as_user timeout 300 srun --quiet --ntasks=1 --mem=0 bash -c \
      "trap 'touch $left/$i; exit 0' TERM; while :; do read -rt 300 <> <(:) || :; done" \
      >/dev/null 2>&1 &
  done
  wait_until 120 "steps_are $count"
  # shellcheck disable=SC2046
  end_all $(running)
  wait_until 30 '[[ -z $(slurm squeue -h) ]]'
  echo "$(find "$left" -type f | wc -l) of $count left by themselves"
  [[ $(find "$left" -type f | wc -l) -gt 0 ]]
  wait
}

@test "those that are over already are no failure" {
  job=$(submitted --ntasks=1 --wrap true)
  wait_until 20 "[[ \$(job_end $job) = COMPLETED ]]"
  end_all "$job" 4000000
}

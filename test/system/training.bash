# SPDX-License-Identifier: Apache-2.0
# What tests that run trainings need, beside helpers.bash.
#
# The program is trainer.c; its run directory is $work/run-JOB.

# make_training DATASET BATCH PASSES SAMPLE_MS: the job script of this file.
make_training() {
  [[ -z $(why_not) ]] || return 0
  local program=$build/test/system/.libs/trainer
  [[ -e $program ]] || program=$build/test/system/trainer
  install -m 755 "$program" "$work/trainer"
  cat >"$work/train.sh" <<END
#!/bin/bash
run=$work/run-\$SLURM_JOB_ID
mkdir -p "\$run"
exec gleaner run --members-per-node=1 --dir "\$run" -- $work/trainer $* "\$run"
END
  chmod 755 "$work/train.sh"
}

# submit_training MIN-MAX [sbatch option...]: prints the job id.
submit_training() {
  submitted --malleable="$1" "${@:2}" "$work/train.sh"
}

# --- what a training does, from its events ----------------------------------

events() { cat "$work/run-$1/events.jsonl" 2>/dev/null; }

# events_of JOB KIND: those of one kind, one a line.
events_of() { events "$1" | jq -c --arg kind "$2" 'select(.event == $kind)'; }

# The nodes of the present generation, "n1,n2,n4", without those whose member has
# been lost since; none when parked.
training_nodes() {
  local nodes
  nodes=$(events_of "$1" generation | tail -n 1 | jq -r .nodes)
  [[ -z $nodes ]] || slurm scontrol show hostnames "$nodes" |
    grep -vxFf <(lost_nodes "$1") | sort | paste -sd,
}
lost_nodes() {
  events "$1" | jq -rs 'reduce .[] as $e ([];
    if $e.event == "generation" then []
    elif $e.event == "member_lost" then . + [$e.node] else . end) | .[]'
}

# How many nodes train at the moment.
size_of() { training_nodes "$1" | tr ',' '\n' | grep -c .; }
size_is() { [[ $(size_of "$1") = "$2" ]]; }

step_of() { events "$1" | jq -s 'map(select(.event == "step").step) | max // 0'; }

# wait_for_steps JOB N: it takes N more steps than it had.
wait_for_steps() {
  local began
  began=$(step_of "$1")
  wait_until 20 "((\$(step_of $1) >= $began + $2))"
}

# Running leases, "JOB NODE" a line; of all trainings.
leases() { slurm squeue -h -a -p lease -t RUNNING -o '%A %N'; }
lease_count() { leases | wc -l; }
no_leases() { [[ -z $(slurm squeue -h -a -p lease) ]]; }
lease_on() { leases | awk -v node="$1" '$2 == node {print $1}'; }

# The training finished, and its result shows every sample exactly once.
finished_exactly() {
  wait_until "${2:-90}" "[[ \$(job_end $1) = COMPLETED ]]"
  local result
  for result in "$work/run-$1"/result-*; do
    awk '{d = $1 - $2; if (d < 0) d = -d; exit !(d <= 1e-6 * $2)}' "$result" || {
      echo "$result: total and expected total differ: $(cat "$result")"
      return 1
    }
  done
}

rigid() { # NODES [sbatch option...]: a job that stays until cancelled
  submitted -N"$1" --exclusive --time=10 "${@:2}" --wrap 'sleep 600'
}

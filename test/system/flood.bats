#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Nothing that users or administrators do at once ends slurmctld, or opens what
# is for leases only.

load helpers
load training

clients=20
flood_s=60

setup_file() {
  take_turn
  # An account of that name exists nowhere: only the guard can refuse it.  The
  # built-in defaults do not have it either, so a guard that forgot it is seen.
  start_cluster --nodes 4 --gpus 0 --set lease_account=for_leases \
    --slurm MaxJobCount=50000
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  touch "$work/stop" 2>/dev/null || :
  wait
  cancel_all
}

# --- one client -------------------------------------------------------------

# let_in RESULTS COMMAND...: Slurm has to take it.  A client that only got no
# answer in time is counted apart: the machine is busy on purpose.
let_in() { count "$1" taken refused "${@:2}"; }
# keep_out RESULTS COMMAND...: and this it must not take.
keep_out() { count "$1" WRONG guarded "${@:2}"; }

count() { # results, what success is, what failure is, command...
  local results=$1 success=$2 failure=$3 said; shift 3
  if said=$(timeout 20 "$@" 2>&1); then
    echo "$success $*" >>"$results"
  elif [[ $failure = guarded && $said = *gleaner:* || $failure = refused ]]; then
    echo "$failure $* $said" >>"$results"
  else
    # Slurm itself, or the time: not let in either.
    echo "other $* $said" >>"$results"
  fi
}

# What one user's shell sends until the time is over.
client() { # number, results
  local held turn=0
  held=$(timeout 20 sbatch --parsable --hold --output=/dev/null --wrap true) || return
  while [[ ! -e $work/stop ]]; do
    let_in "$2" sbatch --output=/dev/null --wrap true
    keep_out "$2" sbatch -p lease --output=/dev/null --wrap true
    keep_out "$2" sbatch -p main,lease --output=/dev/null --wrap true
    keep_out "$2" sbatch -A for_leases --output=/dev/null --wrap true
    let_in "$2" scontrol update JobId="$held" Comment="turn $((++turn))"
    keep_out "$2" scontrol update JobId="$held" Partition=lease
    keep_out "$2" srun -p lease --reservation=gleaner -N1 -n1 -w n1 --immediate \
      --comment="gleaner1:$1:n1:7:5:1:2:00:$turn" true
    # With or without nodes free: it must neither hang nor hurt.
    timeout 20 srun -N1 -n1 --immediate=5 true >/dev/null 2>&1 || :
  done
}

# gleaner.yaml as it is edited: good, spoilt, away, and good again.
rewriter() {
  local file=$GLEANER_CONF good turn=0
  good=$(<"$file")
  while [[ ! -e $work/stop ]]; do
    echo "lease_partition: [" >"$file"; sleep 0.1 # an edit
    rm -f "$file"; sleep 0.1
    printf '%s\n# %s\n' "$good" $((++turn)) >"$file.new"
    mv "$file.new" "$file"; sleep 0.1
  done
  echo "$good" >"$file"
}

results_of() { cat "$work"/results-* | awk -v kind="$1" '$1 == kind'; }
started_at() { awk '{print $22}' "/proc/$1/stat"; }

@test "$clients clients submit and update for $flood_s s while gleaner.yaml is rewritten" {
  export work GLEANER_CONF=$cluster/slurm/etc/gleaner.yaml
  local pid began n
  pid=$(pid_of slurmctld)
  began=$(started_at "$pid")
  rm -f "$work/stop" "$work"/results-*
  rewriter 3>&- &
  for ((n = 0; n < clients; n++)); do
    # As the user, whose shell gets the functions it needs.
    as_user bash -c "$(declare -f client let_in keep_out count); client $n $work/results-$n" \
      >/dev/null 2>&1 3>&- &
  done
  sleep "$flood_s" # the flood itself
  touch "$work/stop"
  wait

  # The same process, and it answers.
  [[ $(pid_of slurmctld) = "$pid" && $(started_at "$pid") = "$began" ]]
  slurm scontrol ping | grep -q UP
  # It was a flood, of all kinds.
  echo "taken $(results_of taken | wc -l), kept out $(results_of guarded | wc -l)," \
    "refused $(results_of refused | wc -l), other $(results_of other | wc -l)"
  (($(results_of taken | wc -l) >= 10 * clients))
  (($(results_of guarded | wc -l) >= 10 * clients))
  # Not one came where only leases may be.
  [[ -z $(results_of WRONG) ]] || { results_of WRONG; return 1; }
  [[ -z $(slurm squeue -h -a -t all -p lease) ]]
  [[ -z $(slurm squeue -h -a -t all -A for_leases) ]]
  # Ordinary jobs ran.
  wait_until 30 '(($(slurm squeue -h -a -t COMPLETED | wc -l) >= 4))'
}

@test "after it a lease partition is guarded, and ordinary jobs run" {
  run as_user timeout 20 sbatch -p lease --wrap true
  [[ $status != 0 && $output = *gleaner:* ]]
  job=$(submitted --wrap true)
  wait_until 20 "[[ \$(job_end $job) = COMPLETED ]]"
}

@test "a slurmctld that starts while gleaner.yaml is away guards what it guarded" {
  mv "$cluster/slurm/etc/gleaner.yaml" "$work/gleaner.yaml.away"
  "$minicluster" restart "$cluster/slurm" slurmctld
  wait_until 30 'slurm scontrol ping | grep -q UP'
  for place in '-p lease' '-p main,lease' '-A for_leases'; do
    # shellcheck disable=SC2086
    run as_user timeout 20 sbatch $place --wrap true
    echo "$place: $output"
    [[ $status != 0 && $output = *gleaner:* ]]
  done
  job=$(submitted -A theirs --wrap true)
  wait_until 30 "[[ \$(job_end $job) = COMPLETED ]]"
  run as_user timeout 20 sbatch --malleable=1-2 --wrap true
  [[ $status != 0 && $output = *'gleaner.yaml'* ]]
  mv "$work/gleaner.yaml.away" "$cluster/slurm/etc/gleaner.yaml"
}

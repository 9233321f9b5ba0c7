# SPDX-License-Identifier: Apache-2.0
# What every system test needs: a cluster, an ordinary user, bounded waits.
#
# A file of tests shares one cluster:
#     setup_file()    { take_turn; start_cluster --nodes 4; }
#     teardown_file() { stop_cluster; }
#     setup()         { use_cluster; }
#     teardown()      { show_logs_on_failure; }

top=$(cd "${top_srcdir:?run through make check}" && pwd)
build=$(cd "${top_builddir:?run through make check}" && pwd)
minicluster=$build/src/minicluster/minicluster
test_user=gleaner-test

# Why system tests cannot run here; empty when they can.
why_not() {
  if [[ ${GLEANER_SYSTEM_TESTS:-yes} = no ]]; then
    echo "GLEANER_SYSTEM_TESTS=no"
  elif ((EUID != 0)); then
    echo "needs root: daemons start jobs as other users"
  elif ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
    echo "needs slurmctld, slurmd and munged"
  fi
}

# start_with_accounting DIR COMMAND...: COMMAND starts a cluster with slurmdbd
# there.  Where it fails since slurmdbd dies of error 5027 on a statement of its
# own (doc/platforms.md), this test is skipped; any other failure is one.
start_with_accounting() {
  local log=$1/log/slurmdbd.log
  shift
  "$@" && return
  grep -qs 'error: mysql_query failed: 5027' "$log" || return
  skip "slurmdbd $(slurmctld -V | grep -oE '[0-9.]+') dies of error 5027 of MariaDB \
$(mariadbd --version | grep -oE '[0-9]+\.[0-9.]+' | head -n 1)"
}

skip_if_impossible() {
  local why
  why=$(why_not)
  [[ -z $why ]] || skip "$why"
}

# pids PGREP-ARGUMENT...: as pgrep, but of this PID namespace.  Another run of these
# tests, in a Debian of its own on this machine, has users of the same numbers.
pids() { pgrep --ns $$ --nslist pid "$@"; }

# signal NAME PGREP-ARGUMENT...: to all of them, which there must be.
signal() {
  local name=$1 found
  shift
  found=$(pids "$@") || return
  # shellcheck disable=SC2086
  kill -s "$name" $found
}

# Files of tests measure times and share a user: one runs at a time, also under
# make -j.  Held until the process that runs this file ends.
take_turn() {
  exec 8<"$top/test/system/helpers.bash"
  flock -w 3000 8
}

# --- cluster and user -------------------------------------------------------

# Sockets need a short path, users a searchable one: not BATS_FILE_TMPDIR.
start_cluster() {
  [[ -z $(why_not) ]] || return 0
  cluster=$(mktemp -d /tmp/gleaner-system-XXXXXX)
  chmod 755 "$cluster"
  export cluster
  make_user
  start_with_accounting "$cluster/slurm" \
    "$minicluster" start "$cluster/slurm" "$@"
  "$minicluster" adduser "$cluster/slurm" "$test_user" 2>/dev/null
  work=$cluster/work
  mkdir "$work"
  chown "$test_user" "$work"
  export work
}

stop_cluster() {
  [[ -n ${cluster:-} ]] || return 0
  "$minicluster" stop "$cluster/slurm"
  remove_user
  rm -rf "$cluster"
}

make_user() {
  id "$test_user" >/dev/null 2>&1 && return
  useradd --system --no-create-home --shell /bin/bash "$test_user"
  touch "$cluster/user-is-ours"
}

remove_user() {
  [[ ! -e $cluster/user-is-ours ]] || userdel "$test_user"
}

select_cluster() { eval "$("$minicluster" env "$cluster/slurm")"; }

use_cluster() {
  skip_if_impossible
  select_cluster
  cd "$work" || return 1
}

# as_user COMMAND...: as the ordinary user.
as_user() {
  setpriv --reuid "$test_user" --regid "$(id -g "$test_user")" --init-groups \
    env HOME="$work" USER="$test_user" LOGNAME="$test_user" "$@"
}

# pid_of NAME: the process id of a daemon of the cluster.
pid_of() { cat "$cluster/slurm/run/$1.pid"; }

# --- waiting ----------------------------------------------------------------

# wait_until SECONDS 'COMMAND': poll until it succeeds; fail saying so if not.
wait_until() {
  local began=$EPOCHREALTIME end=$((SECONDS + $1))
  until eval "$2" >/dev/null 2>&1; do
    if ((SECONDS > end)); then
      echo "waited $1 s for: $2"
      return 1
    fi
    sleep 0.05 # between two polls
  done
  waited_s=$(awk "BEGIN {print $EPOCHREALTIME - $began}")
  echo "waited $waited_s s for: $2"
}

# --- Slurm ------------------------------------------------------------------

slurm() { timeout 20 "$@"; }

job_state() { slurm squeue -h -a -j "$1" -o %T 2>/dev/null || true; }
job_is() { [[ $(job_state "$1") = "$2" ]]; }

# A job's end state, also after it left the queue.
job_end() { slurm scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }

nodes_of() { slurm squeue -h -a -j "$1" -o %N; }

submitted() { # sbatch arguments; prints the job id
  as_user timeout 20 sbatch --parsable --output="$work/%j.out" "$@"
}

no_jobs() { [[ -z $(slurm squeue -h -a) ]]; }

# Leave the cluster as the next test expects it.
cancel_all() {
  local jobs
  jobs=$(slurm squeue -h -a -o %A)
  # shellcheck disable=SC2086
  [[ -z $jobs ]] || slurm scancel --quiet $jobs
  wait_until 20 no_jobs
}

# --- when a test fails ------------------------------------------------------

show_logs_on_failure() {
  [[ -z ${BATS_TEST_COMPLETED:-} && -z ${BATS_TEST_SKIPPED:-} ]] || return 0
  [[ -n ${cluster:-} ]] || return 0
  slurm squeue -a || :
  slurm sinfo -N -a || :
  local log
  for log in "$cluster"/slurm/log/{gleanerd,slurmctld}.log "$work"/*.out \
    "$work"/gleaner-*/events.jsonl; do
    [[ -s $log ]] || continue
    echo "--- the last lines of $log"
    tail -n 40 "$log"
  done
}

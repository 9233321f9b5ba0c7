# SPDX-License-Identifier: Apache-2.0
# minicluster stop, env, restart and adduser.

cancel_jobs() {
  slurmctld_answers || return 0
  local jobs
  jobs=$(slurm squeue -h -a -o %A | tr '\n' ' ')
  [[ -n ${jobs// /} ]] || return 0
  # SIGKILL first: scancel alone waits KillWait for what ignores SIGTERM.
  # shellcheck disable=SC2086
  slurm scancel --quiet --full --signal=KILL $jobs 2>/dev/null || :
  # shellcheck disable=SC2086
  slurm scancel --quiet $jobs 2>/dev/null || :
  wait_until 15 no_jobs ||
    note "jobs did not end within 15 s:" $(slurm squeue -h -a -o '%A(%T)')
}
no_jobs() { [[ -z $(slurm squeue -h -a 2>/dev/null) ]]; }

# Processes that outlived their daemons: step daemons (which may rewrite their
# environment, but hold files of ours) and what jobs left behind.
strays() {
  local pid own
  own=$(ancestors)
  for pid in $(left_pids | sort -un); do
    [[ $own = *" $pid "* ]] || echo "$pid"
  done
}

left_pids() {
  local pid file
  for file in $(grep -lzxF "MINICLUSTER_DIR=$dir" /proc/[0-9]*/environ \
      2>/dev/null); do
    pid_in "$file"
  done
  for file in $(grep -lzxF "SLURM_CONF=$dir/etc/slurm.conf" \
      /proc/[0-9]*/environ 2>/dev/null); do
    ! grep -qz '^SLURM_JOB_ID=' "$file" 2>/dev/null || pid_in "$file"
  done
  # Slurm's clients that gleaner-coordinator started: their environment has
  # nothing of the job.  Without slurmctld they would wait for minutes.
  for file in $(grep -lxE 'srun|salloc|sbatch|scancel' /proc/[0-9]*/comm \
      2>/dev/null); do
    pid=$(pid_in "$file")
    ! grep -qzxF "SLURM_CONF=$dir/etc/slurm.conf" "/proc/$pid/environ" \
      2>/dev/null || echo "$pid"
  done
  for file in $(grep -lx slurmstepd /proc/[0-9]*/comm 2>/dev/null); do
    pid=$(pid_in "$file")
    ! ls -l "/proc/$pid/fd" "/proc/$pid/cwd" 2>/dev/null |
      grep -qF " $dir/" || echo "$pid"
  done
}
pid_in() { local rest=${1#/proc/}; echo "${rest%%/*}"; }

# The processes that called us; they may have this cluster's environment.
ancestors() {
  local pid=$$ list=' '
  while ((pid > 1)); do
    list+="$pid "
    pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
    pid=${pid:-0}
  done
  echo "$list"
}

reap_strays() {
  local pids
  pids=$(strays)
  [[ -n $pids ]] || return 0
  # shellcheck disable=SC2086
  kill -KILL $pids 2>/dev/null || :
  return 1
}

stop_all() {
  local name pids=()
  # gleanerd first: it must not lend nodes again while jobs are being ended.
  stop_daemon gleanerd
  cancel_jobs
  for name in $(node_names); do
    is_ours "$name" && pids+=("$(pid_of "$name")")
  done
  ((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null || :
  for name in $(node_names) slurmctld2 slurmctld slurmdbd mariadb munged; do
    stop_daemon "$name"
  done
  wait_until 10 reap_strays || note "processes are left:" $(strays)
  remove_links
}

stop() {
  load_settings "${1:-}"
  need_root
  stop_all
  rm -f "$dir/run/munge.sock" "$dir/run/munge.sock.lock" "$dir/run/mariadb.sock"
  [[ -z $(strays) ]]
}

print_env() {
  load_settings "${1:-}"
  echo "export SLURM_CONF='$SLURM_CONF'"
  [[ $gleaner = no ]] || echo "export GLEANER_CONF='$GLEANER_CONF'"
  echo "export PATH='$program_path':\"\$PATH\""
  [[ -z $links ]] || echo "export GLEANER_HOST_ADDRESS='$(own_address)'"
  [[ -z $libexec ]] || echo "export GLEANER_LIBEXEC='$libexec'"
  [[ -z $lib ]] ||
    echo "export LD_LIBRARY_PATH='$lib'\"\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}\""
}

restart() {
  load_settings "${1:-}"; shift
  need_root
  (($# > 0)) || fail "restart: which daemon?"
  local name
  for name in "$@"; do stop_daemon "$name"; start_daemon "$name"; done
}

adduser() {
  load_settings "${1:-}"
  local user=${2:-}
  id "$user" >/dev/null 2>&1 || fail "no user '$user'"
  if [[ $accounting = no ]]; then
    note "no accounting in '$dir': '$user' may run jobs already"
    return
  fi
  sacctmgr_do add user "$user" Account=users DefaultAccount=users Cluster=mini
  sacctmgr_do add user "$user" Account=gleaner Cluster=mini
}

case ${1:-} in
  start | stop | restart | adduser) "$@" ;;
  env) print_env "${2:-}" ;;
  --help | -h | help) usage ;;
  --version) echo "minicluster (@PACKAGE_STRING@)" ;;
  *) usage >&2; exit 2 ;;
esac

# SPDX-License-Identifier: Apache-2.0
# How each daemon of a cluster is started and ended.

# spawn USER COMMAND...: without our lock, marked as this cluster's.  With
# in_place=yes it replaces this shell, which then has to be a subshell.
spawn() {
  local user=$1; shift
  local as=()
  [[ $user = root ]] ||
    as=(setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups)
  ${in_place:+exec} env -u NOTIFY_SOCKET MINICLUSTER_DIR="$dir" \
    SLURM_CONF="$dir/etc/slurm.conf" GLEANER_CONF="$dir/etc/gleaner.yaml" \
    MYSQL_UNIX_PORT="$dir/run/mariadb.sock" "${as[@]}" "$@" 9>&- </dev/null
}

start_munged() {
  spawn root munged --force --key-file="$dir/etc/munge.key" \
    --socket="$dir/run/munge.sock" --pid-file="$dir/run/munged.pid" \
    --log-file="$dir/log/munged.log" \
    --seed-file="$dir/run/munge.seed" --num-threads=4 --origin=127.0.0.1
}

start_mariadb() {
  if [[ ! -d $dir/db/mysql ]]; then
    mkdir -p "$dir/db"
    spawn root mariadb-install-db --no-defaults --user=root \
      --datadir="$dir/db" --skip-test-db --force \
      --auth-root-authentication-method=socket \
      >"$dir/log/mariadb-install.log" 2>&1 || return 1
  fi
  spawn root mariadbd --no-defaults --user=root --datadir="$dir/db" \
    --socket="$dir/run/mariadb.sock" --skip-networking \
    --pid-file="$dir/run/mariadb.pid" --innodb-buffer-pool-size=64M \
    --innodb-flush-log-at-trx-commit=0 >>"$dir/log/mariadb.log" 2>&1 &
  wait_until 30 mariadb_answers || return 1
  mariadb_do "CREATE USER IF NOT EXISTS '$slurm_user'@localhost
                IDENTIFIED VIA unix_socket;
              GRANT ALL ON slurm.* TO '$slurm_user'@localhost"
}

mariadb_do() { mariadb --no-defaults --socket="$dir/run/mariadb.sock" -e "$1"; }
mariadb_answers() { mariadb_do 'SELECT 1' >/dev/null 2>&1; }

start_slurmdbd() {
  spawn root slurmdbd && wait_until 30 slurmdbd_answers
}

slurmdbd_answers() { slurm sacctmgr -n list cluster >/dev/null 2>&1; }

# Where a backup controller is in charge, Slurm 24.11 and 25.11 take 29 s until it
# has given up: the request that tells it to is one that its end waits for.
start_slurmctld() {
  spawn root slurmctld -f "$dir/etc/slurm.conf" &&
    wait_until 60 slurmctld_answers
}

start_slurmctld2() {
  # It looks its own name up, and listens at that address alone.
  # shellcheck disable=SC2016
  spawn root unshare --uts --mount sh -c \
    'hostname ctl2 && mount --bind "$1" /etc/hosts && exec slurmctld -f "$0"' \
    "$dir/etc/slurmctld2.conf" "$dir/etc/hosts" &&
    wait_until 30 is_ours slurmctld2
}

slurmctld_answers() { [[ $(slurm scontrol ping 2>/dev/null) = *" is UP"* ]]; }

start_slurmd() {
  mkdir -p "$dir/spool/$1"
  # shellcheck disable=SC2046
  spawn root $(into_network_of "$1") slurmd -f "$dir/etc/slurm.conf" -N "$1"
}

start_gleanerd() {
  (in_place=yes; PATH=$program_path:$PATH
   spawn "$slurm_user" gleanerd >>"$dir/log/gleanerd.log" 2>&1) &
  echo $! >"$dir/run/gleanerd.pid"
  wait_until 15 gleanerd_answers_or_ended && gleanerd_answers
}

gleanerd_answers() {
  [[ -S $dir/run/gleaner/gleanerd.sock ]] && is_ours gleanerd &&
    (exec 3<>"/dev/tcp/$(own_address)/$((port + 2))") 2>/dev/null
}
gleanerd_answers_or_ended() {
  gleanerd_answers || [[ $(process_state "$(pid_of gleanerd)") = @(Z|) ]]
}

# start_daemon NAME
start_daemon() {
  case $1 in
    munged | mariadb | slurmdbd | slurmctld | slurmctld2 | gleanerd)
      "start_$1" ;;
    head | n[0-9]*) start_slurmd "$1" ;;
    *) fail "no daemon '$1' (munged, mariadb, slurmdbd, slurmctld," \
         "slurmctld2, gleanerd or a node)" ;;
  esac || { show_logs "$1"; fail "$1 did not start"; }
}

show_logs() {
  local log
  for log in "$dir/log/$1.log" "$dir/log/slurmctld.log"; do
    [[ ! -s $log ]] || { echo "--- last lines of $log"; tail -n 15 "$log"; }
  done >&2
}

pid_of() {
  local pid=
  [[ ! -s $dir/run/$1.pid ]] || read -r pid <"$dir/run/$1.pid" || :
  echo "$pid"
}

# is_ours NAME: its pid file names a live process of this cluster.
is_ours() {
  local pid
  pid=$(pid_of "$1")
  [[ -n $pid ]] && marked_ours "$pid" && [[ $(process_state "$pid") != Z ]]
}
marked_ours() {
  grep -qzxF "MINICLUSTER_DIR=$dir" "/proc/$1/environ" 2>/dev/null
}
process_state() {
  sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null
}
is_gone() { ! is_ours "$1"; }

# stop_daemon NAME: SIGTERM, and SIGKILL when that was not enough.
stop_daemon() {
  is_ours "$1" || { rm -f "$dir/run/$1.pid"; return 0; }
  local pid
  pid=$(pid_of "$1")
  kill "$pid" 2>/dev/null || :
  if ! wait_until 10 is_gone "$1"; then
    note "$1 (pid $pid) did not end within 10 s: killed"
    kill -KILL "$pid" 2>/dev/null || :
    wait_until 5 is_gone "$1" || note "$1 (pid $pid) cannot be killed"
  fi
  rm -f "$dir/run/$1.pid"
}

node_names() {
  local i
  echo head
  for ((i = 1; i <= nodes; i++)); do echo "n$i"; done
}

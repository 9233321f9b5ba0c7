# SPDX-License-Identifier: Apache-2.0
# minicluster start: options, order, and what "ready" means.

parse_start_options() {
  nodes=4 cpus=4 gpus=4 port='' accounting=no slurm_user=root
  gleaner=yes gleanerd=yes backup=no
  sched=wrap scavenger='' plugins='' slurm_lines=() yaml_pairs=()
  while (($#)); do
    case $1 in
      --nodes | --cpus | --gpus | --node-kind | --port | --slurm-user | --slurm | --set | \
        --sched | --scavenger | --plugins | --links)
        (($# > 1)) || fail "$1 needs a value" ;;
    esac
    case $1 in
      --nodes) nodes=$(number "$1" "$2" 1 1000); shift ;;
      --cpus) cpus=$(number "$1" "$2" 1 1024); shift ;;
      --gpus) gpus=$(number "$1" "$2" 0 64); shift ;;
      --node-kind) add_node_kind "$2"; shift ;;
      --links) parse_links "$2"; shift ;;
      --port) port=$(number "$1" "$2" 1024 64000); shift ;;
      --slurm-user) slurm_user=$2; shift ;;
      --slurm) slurm_lines+=("$2"); shift ;;
      --set)
        [[ $2 = *=* ]] || fail "--set '$2': want KEY=VALUE"
        yaml_pairs+=("$2"); shift ;;
      --sched) sched=$(one_of "$1" "$2" wrap backfill); shift ;;
      --scavenger) scavenger=$(one_of "$1" "$2" plugin poll); shift ;;
      --plugins) plugins=$2; shift ;;
      --accounting) accounting=yes ;;
      --backup) backup=yes ;;
      --without-gleanerd) gleanerd=no ;;
      --without-gleaner) gleaner=no gleanerd=no ;;
      *) fail "unknown option '$1' [see minicluster --help]" ;;
    esac
    shift
  done
  settle_plugins
  settle_node_kinds
}

# With `scavenger: poll` nothing of ours but job_submit (and the options) is
# loaded: that is what the setting is for.
settle_plugins() {
  local default=sched,job_submit,prep,spank name
  [[ $scavenger != poll ]] || default=job_submit,spank
  [[ -n $plugins ]] || plugins=$default
  [[ $gleaner = yes && $plugins != none ]] || plugins=''
  for name in ${plugins//,/ }; do
    one_of --plugins "$name" sched job_submit prep spank >/dev/null
  done
  [[ -n $scavenger ]] || scavenger=$(has_plugin sched && echo plugin || echo poll)
}

number() {
  [[ $2 =~ ^[0-9]{1,6}$ ]] && ((10#$2 >= $3 && 10#$2 <= $4)) ||
    fail "$1 '$2': want a number from $3 to $4"
  echo "$((10#$2))"
}

one_of() {
  local option=$1 value=$2 choice; shift 2
  for choice in "$@"; do
    [[ $value != "$choice" ]] || { echo "$value"; return; }
  done
  fail "$option '$value': want one of $*"
}

# A stopped cluster's remains may be replaced, anything else may not.
prepare_dir() {
  if [[ -e $settings ]]; then
    local pid_file
    for pid_file in "$dir"/run/*.pid; do
      ! is_ours "$(basename "$pid_file" .pid)" ||
        fail "a cluster runs in '$dir' already [minicluster stop $dir]"
    done
    rm -rf "${dir:?}"/{etc,run,log,state,spool,dev,db,plugins,bin,libexec,lib}
  elif [[ -d $dir && -n $(ls -A "$dir") ]]; then
    fail "'$dir' is not empty and holds no cluster"
  fi
  mkdir -p "$dir/etc"
  : >"$settings"
}

warn_unreachable() {
  local part=$dir
  while [[ $part != / ]]; do
    if [[ ! $(stat -c %a "$part") =~ [1357]$ ]]; then
      note "ordinary users cannot use this cluster ('$part' is not open to" \
        "them) [chmod o+x $part]"
      return
    fi
    part=$(dirname "$part")
  done
}

all_nodes_idle() {
  local idle
  idle=$(slurm sinfo -h -a -N -o '%N %T' 2>/dev/null |
    awk '$2 == "idle" && !seen[$1]++' | wc -l)
  ((idle == nodes + 1))
}

make_reservation() {
  slurm scontrol create reservation ReservationName=gleaner StartTime=now \
    Duration=UNLIMITED Licenses=gleaner:1 Flags=ANY_NODES,FLEX Users=-root \
    >/dev/null ||
    { show_logs slurmctld; fail "Slurm refused the reservation 'gleaner'"; }
}

make_accounts() {
  sacctmgr_do add cluster mini
  # What runs there is free, so nothing but leases may: see doc/admin.md.
  sacctmgr_do add qos gleaner set UsageFactor=0 Flags=RequiresReservation
  sacctmgr_do add account users Cluster=mini
  sacctmgr_do add account gleaner Cluster=mini \
    set QOS=gleaner DefaultQOS=gleaner
}

# sacctmgr exits 1 when there was nothing to change, which releases say as
# " Nothing new added." or "Nothing added".
sacctmgr_do() {
  local out
  out=$(slurm sacctmgr -i "$@" 2>&1) || [[ $out = *"othing "*added* ]] ||
    fail "sacctmgr $*: $out"
}

# Half a cluster is no use: what did not become ready is ended again.
abandon_start() {
  trap - EXIT
  note "giving up: ending what was started"
  stop_all
  exit 1
}

start() {
  set_dir "${1:-}"; shift
  parse_start_options "$@"
  need_root
  need_programs
  # Starts on this machine take turns, so that no two choose the same ports.
  exec 9<"$(command -v slurmctld)"
  flock -w 120 9 || fail "another start has held the lock for 120 s"
  prepare_dir
  [[ -n $port ]] || choose_ports
  check_links
  stock_dir=$(stock_plugin_dir)
  make_directories
  stage
  make_gpus
  write_slurm_conf
  [[ $backup = no ]] || write_backup_conf
  write_cgroup_conf
  write_plugstack
  [[ $gleaner = no ]] || write_gleaner_yaml
  save_settings
  warn_unreachable
  export SLURM_CONF=$dir/etc/slurm.conf GLEANER_CONF=$dir/etc/gleaner.yaml
  trap abandon_start EXIT
  start_all
  trap - EXIT
  exec 9<&-
  echo "cluster of $nodes nodes ready in $dir;" \
    "eval \"\$(minicluster env $dir)\" to use it"
}

start_all() {
  local name
  make_links
  start_daemon munged
  if [[ $accounting = yes ]]; then
    write_slurmdbd_conf
    start_daemon mariadb
    start_daemon slurmdbd
    make_accounts
  fi
  start_daemon slurmctld
  [[ $backup = no ]] || start_daemon slurmctld2
  for name in $(node_names); do start_daemon "$name"; done
  wait_until $((30 + nodes / 10)) all_nodes_idle ||
    { slurm sinfo -a -N >&2 || :; show_logs n1
      fail "nodes did not become idle"; }
  [[ $gleaner = no ]] || make_reservation
  [[ $gleanerd = no ]] || start_daemon gleanerd
}

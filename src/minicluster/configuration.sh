# SPDX-License-Identifier: Apache-2.0
# What the configuration files of a cluster say, and which ports it takes.

make_directories() {
  local part
  mkdir -p "$dir"
  for part in etc run run/gleaner log state state/slurmctld state/gleaner \
    spool dev; do
    mkdir -p "$dir/$part"
    chmod 755 "$dir/$part"
  done
  chmod 755 "$dir"
  chmod 711 "$dir/run/gleaner"
  chmod 700 "$dir/state/gleaner"
  local group
  group=$(id -gn "$slurm_user") || fail "no user '$slurm_user'"
  touch "$dir/log/slurmctld.log" "$dir/log/slurmdbd.log"
  chown -R "$slurm_user:$group" "$dir/run/gleaner" "$dir/state" \
    "$dir/log/slurmctld.log" "$dir/log/slurmdbd.log"
  (umask 077; head -c 128 /dev/urandom >"$dir/etc/munge.key")
}

make_gpus() {
  {
    echo "AutoDetect=off"
    each_kind gres_conf_of_kind
  } >"$dir/etc/gres.conf"
}

write_slurm_conf() {
  local host
  host=$(hostname -s)
  local here="NodeHostname=$host"
  local deny=
  [[ $accounting = no ]] || deny=" DenyAccounts=gleaner"
  {
    {
      slurm_conf_basics "$host"
      [[ $gleaner = no ]] || slurm_conf_gleaner
      [[ $accounting = no ]] || slurm_conf_accounting
      [[ $backup = no ]] || slurm_conf_backup
      printf '%s\n' "${slurm_lines[@]}"
    } | last_of_each_key
    cat <<END
NodeName=head $here NodeAddr=$(own_address) Port=$((port + 10)) CPUs=64 RealMemory=64000
$(each_kind slurm_conf_of_kind)
PartitionName=DEFAULT MaxTime=INFINITE OverSubscribe=NO PreemptMode=OFF
PartitionName=main Nodes=n[1-$nodes] Default=YES PriorityTier=10$deny
PartitionName=head Nodes=head PriorityTier=10$deny
END
    [[ $gleaner = no ]] || cat <<END
PartitionName=lease Nodes=n[1-$nodes] PriorityTier=1 PreemptMode=CANCEL \\
  GraceTime=0 ReqResv=YES Hidden=YES $(alloc_nodes "$host")
END
  } >"$dir/etc/slurm.conf"
}

# A second slurmctld takes over when the first does not answer.  It runs on this
# machine too, under another host name, and has a configuration of its own for
# what two processes cannot share.
slurm_conf_backup() {
  cat <<END
SlurmctldHost=ctl2(127.0.0.2)
CommunicationParameters=NoCtldInAddrAny
SlurmctldTimeout=5
END
}

write_backup_conf() {
  sed -e "s,^SlurmctldPidFile=.*,SlurmctldPidFile=$dir/run/slurmctld2.pid," \
    -e "s,^SlurmctldLogFile=.*,SlurmctldLogFile=$dir/log/slurmctld2.log," \
    "$dir/etc/slurm.conf" >"$dir/etc/slurmctld2.conf"
  { cat /etc/hosts; echo "127.0.0.2 ctl2"; } >"$dir/etc/hosts"
  touch "$dir/log/slurmctld2.log"
  chown "$slurm_user" "$dir/log/slurmctld2.log"
}

# Slurm also uses the last, but every daemon and command complains.
last_of_each_key() {
  awk -F= '
    {line[NR] = $0; key[NR] = tolower($1); last[key[NR]] = NR}
    END {for (i = 1; i <= NR; i++)
           if (last[key[i]] == i || key[i] ~ /^(nodename|partitionname|slurmctldhost)$/)
             print line[i]}'
}

# Where leases may be asked from: here.  Slurm asks MUNGE for the submitting host,
# which names 127.0.0.1, or else the connection.  Where neither address has a name,
# as with --links, no list would do; nor would AllocNodes=ALL, which on a
# partition's own line is the name of a node.
alloc_nodes() { # HOST
  local other
  other=$(getent hosts 127.0.0.1 | awk '{print $2}')
  if [[ -z $links && -n $other ]]; then echo "AllocNodes=localhost,$1,$other"; fi
}

slurm_conf_basics() {
  cat <<END
ClusterName=mini
SlurmctldHost=$1($(own_address))
SlurmctldPort=$port
SlurmUser=$slurm_user
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.sock
CredType=cred/munge
StateSaveLocation=$dir/state/slurmctld
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
DebugFlags=NO_CONF_HASH
GresTypes=gpu
PriorityType=priority/basic
MinJobAge=120
KillWait=5
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,bf_continue,bf_window=1440,bf_resolution=1
PlugStackConfig=$dir/etc/plugstack.conf
END
}

slurm_conf_gleaner() {
  local path=$plugin_dir:$stock_dir
  [[ $sched = wrap ]] || path=$plugin_dir/backfill:$path
  [[ -z $plugins ]] || echo "PluginDir=$path"
  echo "PreemptType=preempt/partition_prio"
  echo "PreemptMode=CANCEL"
  echo "Licenses=gleaner:1"
  if has_plugin sched && [[ $sched = wrap ]]; then
    echo "SchedulerType=sched/gleaner"
  fi
  if has_plugin job_submit; then echo "JobSubmitPlugins=gleaner"; fi
  if has_plugin prep; then echo "PrEpPlugins=prep/script,prep/gleaner"; fi
}

slurm_conf_accounting() {
  cat <<END
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((port + 1))
AccountingStoragePass=$dir/run/munge.sock
AccountingStorageEnforce=limits
END
}

# No plugin of ours uses cgroups, but slurmd looks for them when it is not told
# which: in containers there may be none.
write_cgroup_conf() {
  echo "CgroupPlugin=cgroup/v1" >"$dir/etc/cgroup.conf"
}

write_plugstack() {
  if has_plugin spank; then
    echo "optional $plugin_dir/spank_gleaner.so"
  fi >"$dir/etc/plugstack.conf"
}

write_gleaner_yaml() {
  local -A keys=(
    [mode]=on
    [run_dir]=$dir/run/gleaner
    [state_dir]=$dir/state/gleaner
    [listen]=$(own_address):$((port + 2))
    [address]=$(own_address):$((port + 2))
    [munge_socket]=$dir/run/munge.sock
    [slurm_user]=$slurm_user
    [scavenger]=$scavenger
    # Its nodes share one machine: more of them are no faster.
    [scaling]=assumed
    [stock_backfill]=$stock_dir/sched_backfill.so
  )
  if [[ $accounting = yes ]]; then
    keys[lease_account]=gleaner keys[lease_qos]=gleaner
  fi
  local pair key
  for pair in "${yaml_pairs[@]}"; do keys[${pair%%=*}]=${pair#*=}; done
  for key in "${!keys[@]}"; do echo "$key: ${keys[$key]}"; done |
    sort >"$dir/etc/gleaner.yaml"
}

write_slurmdbd_conf() {
  (umask 077; cat >"$dir/etc/slurmdbd.conf") <<END
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((port + 1))
SlurmUser=$slurm_user
PidFile=$dir/run/slurmdbd.pid
LogFile=$dir/log/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=$slurm_user
StorageLoc=slurm
END
  chown "$slurm_user" "$dir/etc/slurmdbd.conf"
}

save_settings() {
  local name
  for name in nodes port links gleaner gleanerd accounting slurm_user \
    program_path libexec lib; do
    printf '%s=%q\n' "$name" "${!name}"
  done >"$settings"
}

listening_ports() {
  local hex
  # In state 0A, LISTEN; the second field is ADDRESS:PORT, in hex.
  for hex in $(awk '$4 == "0A" {sub(/.*:/, "", $2); print $2}' \
    /proc/net/tcp /proc/net/tcp6 2>/dev/null); do
    echo $((16#$hex))
  done
}

# Ranges below the ephemeral ports, begun at a place that depends on DIR.
choose_ports() {
  local span=$((nodes + 11)) first=10000 last=32000 used try base p
  used=" $(listening_ports | tr '\n' ' ') "
  local slots=$(((last - first) / span))
  local start=$(($(cksum <<<"$dir" | cut -d' ' -f1) % slots))
  for ((try = 0; try < slots; try++)); do
    base=$((first + (start + try) % slots * span))
    for ((p = base; p < base + span; p++)); do
      [[ $used != *" $p "* ]] || continue 2
    done
    port=$base
    return
  done
  fail "no free range of $span ports between $first and $last"
}

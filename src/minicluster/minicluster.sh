#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# minicluster: how to get a private, complete Slurm with Gleaner on one machine.
#
# Everything a cluster owns is in one directory: configuration, sockets, logs,
# state and stand-in GPUs.  Every daemon is started with MINICLUSTER_DIR=DIR in
# its environment and leaves DIR/run/NAME.pid, so that `stop` ends this
# cluster's processes and nobody else's.  Described in minicluster(1).
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin

usage() {
  cat <<'END'
usage: minicluster start DIR [option...]   start a cluster in DIR
       minicluster stop DIR                end its jobs and daemons
       minicluster env DIR                 print what to eval in a shell
       minicluster restart DIR NAME...     end and start daemons (also dead ones)
       minicluster adduser DIR USER        accounting: let USER run jobs
       minicluster --help | --version

  --nodes N            compute nodes n1..nN (default 4)
  --cpus N, --gpus N   of each compute node (default 4 and 4; need not exist)
  --node-kind NAME:COUNT,cpus=8,memory=16000,gpu:a=2,feature=fast
                       COUNT equal nodes of this kind (may be repeated)
  --links RATE[,DELAY] a network for each compute node, as in 1gbit,0.5ms
  --accounting         slurmdbd on a private MariaDB, limits enforced
  --backup             a second slurmctld, which takes over from the first
  --slurm-user USER    run slurmctld and gleanerd as USER (default root)
  --port BASE          first port of the range used (default: a free range)
  --slurm LINE         add a line to slurm.conf; the last value of a key counts
  --set KEY=VALUE      set a key of gleaner.yaml
  --sched wrap|backfill     load the scheduler plugin as sched/gleaner, or under
                            the name sched/backfill (heterogeneous jobs work)
  --scavenger plugin|poll   holes are found by the scheduler plugin or gleanerd
  --plugins LIST       of sched,job_submit,prep,spank (default: all)
  --without-gleanerd   plugins only
  --without-gleaner    a plain Slurm with the partitions head and main
END
}

pkglibdir='@pkglibdir@'
bindir='@bindir@'
sbindir='@sbindir@'

fail() { echo "minicluster: $*" >&2; exit 1; }
note() { echo "minicluster: $*" >&2; }

# wait_until SECONDS COMMAND...: poll until COMMAND succeeds.
wait_until() {
  local end=$((SECONDS + $1)); shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.05
  done
}

set_dir() {
  [[ -n ${1:-} ]] || fail "DIR is missing [see minicluster --help]"
  dir=$(readlink -m -- "$1")
  [[ $dir =~ ^/[A-Za-z0-9._/+-]+$ ]] ||
    fail "cannot use '$dir' (only letters, digits and . _ / + - are safe in" \
      "slurm.conf)"
  # A UNIX socket's path has at most 107 bytes; ours end in
  # run/gleaner/gleanerd.sock.
  ((${#dir} <= 80)) ||
    fail "cannot use '$dir' (longer than 80 characters: sockets do not fit)"
  settings=$dir/etc/minicluster.settings
}

load_settings() {
  set_dir "${1:-}"
  [[ -r $settings ]] || fail "no cluster in '$dir' ($settings is missing)"
  # shellcheck source=/dev/null
  . "$settings"
  export SLURM_CONF=$dir/etc/slurm.conf GLEANER_CONF=$dir/etc/gleaner.yaml
}

need_root() {
  ((EUID == 0)) ||
    fail "must be root (daemons start jobs as other users) [use sudo]"
}

# The Slurm client commands retry for minutes when slurmctld is down.
slurm() { timeout 10 "$@"; }

# The build tree this script lies in; empty when it is installed.
build_tree() {
  local top
  top=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
  if [[ -f $top/config.status ]]; then echo "$top"; fi
}

# Slurm's own plugins lie where its private library does.
stock_plugin_dir() {
  local lib
  lib=$(ldd "$(command -v slurmctld)" | awk '$1 ~ /^libslurmfull/ {print $3}')
  [[ -f $lib ]] ||
    fail "cannot find Slurm's plugin directory (ldd slurmctld shows no" \
      "libslurmfull)"
  dirname "$lib"
}

need_programs() {
  local program missing=
  local programs=(munged slurmctld slurmd scontrol sinfo squeue scancel)
  [[ $accounting = no ]] ||
    programs+=(slurmdbd sacctmgr mariadbd mariadb mariadb-install-db)
  for program in "${programs[@]}"; do
    command -v "$program" >/dev/null || missing+=" $program"
  done
  [[ -z $missing ]] || fail "not installed:$missing"
}

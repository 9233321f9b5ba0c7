# SPDX-License-Identifier: Apache-2.0
# What both demos need: options, a user, private clusters, and a clean end.
#
# Sourced by `run` and `jpa`, which set `nodes` first.  After it: $build, $out, $seconds and
# $seed as asked for, $work for files, $user, $failures.  Whatever happens, every
# process, the user and the clusters' files are removed.
set -uo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
while (($#)); do
  case $1 in
    --build) build=$(cd "$2" && pwd) ;;
    --out) out=$(cd "$2" && pwd) ;;
    --seconds) seconds=$2 ;;
    --seed) seed=$2 ;;
  esac
  shift 2
done

user=gleaner-demo-$$
failures=()
groups=()    # process groups that run in the background
clusters=()  # directories of clusters that may run
minicluster=$build/src/minicluster/minicluster

note() { echo "demo: $*"; }
die() { note "$*" >&2; exit 1; }

# --- what must be cleaned up -------------------------------------------------

cleanup() {
  local code=$? group dir
  trap - EXIT INT TERM
  for group in "${groups[@]}"; do kill -- "-$group" 2>/dev/null; done
  for dir in "${clusters[@]}"; do stop_cluster "$dir"; done
  ! id "$user" >/dev/null 2>&1 || userdel "$user" 2>/dev/null
  [[ -z ${work:-} ]] || rm -rf "$work"
  exit "$code"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# In a process group of its own, so that all of it can be ended.
background() {
  setsid "$@" &
  groups+=($!)
}

# wait_until SECONDS COMMAND...
wait_until() {
  local limit=$((SECONDS + $1)); shift
  until "$@"; do
    ((SECONDS < limit)) || return 1
    sleep 0.1
  done
}

# --- clusters ----------------------------------------------------------------

start_cluster() {
  local dir=$1; shift
  clusters+=("$dir")
  "$minicluster" start "$dir" --nodes "$nodes" --gpus 0 "$@" >/dev/null ||
    die "the cluster did not start"
  eval "$("$minicluster" env "$dir")"
}

stop_cluster() {
  [[ -d $1/etc ]] || return 0
  "$minicluster" stop "$1" || note "the cluster in $1 did not stop cleanly" >&2
}

no_leases() { [[ -z $(timeout 10 squeue -h -a -o %A) ]]; }

# --- files and the user ------------------------------------------------------

# prepare FILE...: a place for the clusters, with these files of the demo in it.
prepare() {
  work=$(mktemp -d /tmp/gleaner-demo.XXXXXX)
  chmod 755 "$work"
  useradd --no-create-home --home-dir "$work/home" --shell /bin/bash "$user" ||
    die "cannot make the user $user"
  install -d -o "$user" -m 755 "$work/home"
  install -D -t "$work/demo" "$@" "$here/../train.sbatch"
  local char_lm=$build/examples/char_lm/.libs/char_lm
  [[ -x $char_lm ]] || char_lm=$build/examples/char_lm/char_lm
  [[ -x $char_lm ]] || die "char_lm is not built [install libtorch-dev]"
  install -t "$work" "$char_lm"
  gleaner=$build/src/cli/gleaner
}

# as_user COMMAND...: in the user's home, on the cluster this shell talks to.
as_user() { (cd "$work/home" && CHAR_LM=$work/char_lm timeout 30 runuser -u "$user" -- "$@"); }

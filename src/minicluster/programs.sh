# SPDX-License-Identifier: Apache-2.0
# Which of our own programs and plugins a cluster uses.

# built NAME...: the file libtool or the compiler made in the build tree.
built() {
  local name found
  for name in "$@"; do
    found=$(find "$tree/src" "$tree/plugins" "$tree/runtime" \
      -path "*/.libs/$name" -print -quit 2>/dev/null)
    [[ -n $found ]] || found=$(find "$tree/src" "$tree/runtime" \
      -type f -name "$name" -perm -u+x -print -quit 2>/dev/null)
    if [[ -n $found ]]; then echo "$found"; return; fi
  done
  return 1
}

# copy_built TARGET_DIR NAME: from the build tree, which other users may be
# unable to reach and which may be rebuilt while daemons have it mapped.
copy_built() {
  local from
  from=$(built "$2") || return 1
  install -D -m 755 "$from" "$1/$2"
}

# Sets plugin_dir, program_path and, in the build tree, libexec and lib.
stage() {
  tree=$(build_tree) libexec='' lib=''
  if [[ -z $tree ]]; then
    plugin_dir=$pkglibdir/plugins program_path=$bindir:$sbindir
    check_installed
    return
  fi
  plugin_dir=$dir/plugins program_path=$dir/bin
  libexec=$dir/libexec lib=$dir/lib
  local name
  for name in $(plugin_files); do
    copy_built "$plugin_dir/$(dirname "$name")" "$(basename "$name")" ||
      fail "$(basename "$name") is not built in $tree [run make, or leave it" \
        "out: --plugins, --without-gleaner]"
  done
  [[ $gleaner = no ]] || copy_built "$dir/bin" gleanerd ||
    [[ $gleanerd = no ]] ||
    fail "gleanerd is not built in $tree [run make, or use --without-gleanerd]"
  if [[ $gleaner = yes ]]; then stage_runtime; fi
}

stage_runtime() {
  local missing=
  copy_built "$dir/bin" gleaner || missing+=' gleaner'
  copy_built "$libexec" gleaner-coordinator || missing+=' gleaner-coordinator'
  copy_built "$libexec" gleaner-agent || missing+=' gleaner-agent'
  copy_built "$libexec" gleaner-doctor || missing+=' gleaner-doctor'
  copy_built "$lib" libgleaner.so.0 || missing+=' libgleaner.so.0'
  [[ -z $missing ]] || note "not built in $tree:$missing (trainings cannot run)"
  # Left out of builds without Open MPI.
  local name
  for name in gleaner-comm-host gleaner-comm-mpi; do
    copy_built "$libexec" "$name" || true
  done
  # Left out of builds without Python; beside it stands where its package is.
  if copy_built "$libexec" gleaner-campaign; then
    install -m 644 "$(dirname "$(built gleaner-campaign)")/source-path" \
      "$libexec/source-path"
  fi
}

check_installed() {
  local name
  for name in $(plugin_files); do
    [[ -f $plugin_dir/$name ]] ||
      fail "$plugin_dir/$name is missing [install Gleaner with Slurm support]"
  done
  [[ $gleanerd = no || -x $sbindir/gleanerd ]] ||
    fail "$sbindir/gleanerd is missing"
}

# The plugins this cluster loads, below plugin_dir.
plugin_files() {
  if has_plugin sched; then
    case $sched in
      wrap) echo sched_gleaner.so ;;
      backfill) echo backfill/sched_backfill.so ;;
    esac
  fi
  has_plugin job_submit && echo job_submit_gleaner.so
  has_plugin prep && echo prep_gleaner.so
  has_plugin spank && echo spank_gleaner.so
  return 0
}

has_plugin() { [[ ,$plugins, = *,$1,* ]]; }

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gleanerd.service starts what is installed, with the directories that gleanerd expects.
unit=${top_builddir:-.}/src/daemon/gleanerd.service
gleanerd=${top_builddir:-.}/src/daemon/gleanerd

echo 1..5
n=0
ok() { n=$((n + 1)); echo "ok $n - $1"; }
not_ok() { n=$((n + 1)); echo "not ok $n - $1"; shift; printf '# %s\n' "$@"; }
is() {  # name, expected, found
  if test "$2" = "$3"; then ok "$1"; else not_ok "$1" "want $2" "have $3"; fi
}
value_of() { sed -n "s/^$1=//p" "$unit"; }
# The defaults of gleanerd itself: gleaner.yaml of this machine does not count.
default_of() { "$gleanerd" --help | sed -n "s/^  --$1 .*Default: //p"; }

is 'its RuntimeDirectory is the default run_dir' \
  "$(default_of run_dir)" "/run/$(value_of RuntimeDirectory)"
is 'its StateDirectory is the default state_dir' \
  "$(default_of state_dir)" "/var/lib/$(value_of StateDirectory)"
is 'its User is the default slurm_user' "$(default_of slurm_user)" "$(value_of User)"
is 'no placeholder is left in it' '' "$(grep -o '@[a-z]*@' "$unit")"

name='systemd finds nothing wrong with it'
if ! command -v systemd-analyze >/dev/null; then
  ok "$name # SKIP no systemd-analyze here"
  exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
here=$(cd "$(dirname "$gleanerd")" && pwd)
sed "s|^ExecStart=.*|ExecStart=$here/gleanerd|" "$unit" >"$dir/gleanerd.service"
said=$(systemd-analyze --man=no verify "$dir/gleanerd.service" 2>&1 | grep gleanerd.service)
if test -z "$said"; then ok "$name"; else not_ok "$name" "$said"; fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who may include whom, and whose names are where.  The table below is the architecture.
cd "${top_srcdir:-.}" || exit 1
n=0
ours='core|proto|alloc|profile|slurm|daemon|doctor|minicluster|sim|cli|runtime|plugins|test|examples'
may_include() {  # module, then the modules it may include
  module=$1; shift
  allowed=$(echo "$module $*" | tr ' ' '|')
  n=$((n + 1))
  if bad=$(grep -rnE "^ *# *include [<\"](src/)?($ours)/" "$module" --include='*.cc' --include='*.hh' --include='*.h' --include='*.c' 2>/dev/null |
           grep -vE "include [<\"](src/)?($(echo "$allowed" | sed 's|src/||g'))/"); test -n "$bad"
  then echo "not ok $n - $module includes only: $*"; echo "$bad" | sed 's/^/# /'
  else echo "ok $n - $module includes only: $*"; fi
}
# Files that are functions of their input.
pure='src/alloc src/profile src/sim src/daemon/decisions runtime/generation'
never_in_pure() {  # pattern, description, files that may have it all the same
  n=$((n + 1))
  if bad=$(grep -rnE "$1" $pure --include='*.cc' --include='*.hh' 2>/dev/null |
           grep -vE "^[^:]*:[0-9]*: *//" | grep -vE "^($3)"); test -n "$bad"
  then echo "not ok $n - functions of their input: no $2"; echo "$bad" | sed 's/^/# /'
  else echo "ok $n - functions of their input: no $2"; fi
}
only_in() {  # header pattern, description, files that may include it
  pattern=$1; what=$2; files=$3
  n=$((n + 1))
  if bad=$(grep -rnE "^ *# *include [<\"]($pattern)" src plugins runtime examples --include='*.cc' --include='*.hh' --include='*.h' --include='*.c' 2>/dev/null |
           grep -vE "^($files)"); test -n "$bad"
  then echo "not ok $n - $what only in $files"; echo "$bad" | sed 's/^/# /'
  else echo "ok $n - $what only in $files"; fi
}
in_tests() {  # header pattern, description, files that may include it
  n=$((n + 1))
  if bad=$(grep -rnE "^ *# *include [<\"]($1)" test --include='*.cc' --include='*.hh' |
           grep -vE "^($3)"); test -n "$bad"
  then echo "not ok $n - $2 only in $3"; echo "$bad" | sed 's/^/# /'
  else echo "ok $n - $2 only in $3"; fi
}
in_python() {  # pattern, description, the only file of the package with it
  n=$((n + 1))
  found=$(cd runtime/python/gleaner && grep -lE "$1" ./*.py | grep -vFx "./$3")
  if test -z "$found"; then echo "ok $n - $2"; else echo "not ok $n - $2: $found"; fi
}
imports() {  # pattern, description, the only file with it (or without: !file)
  n=$((n + 1))
  found=$(cd runtime/python/gleaner && grep -lE "^ *(import|from) $1\b" ./*.py)
  case $3 in
    !*) found=$(echo "$found" | grep -Fx "./${3#!}") ;;
    *) found=$(echo "$found" | grep -vFx "./$3") ;;
  esac
  if test -z "$found"; then echo "ok $n - $2"; else echo "not ok $n - $2: $found"; fi
}
commands_apart() {  # a folder per command of `gleaner`; commands.cc has the table
  n=$((n + 1))
  what="in src/cli, a command includes nothing of another one"
  if bad=$(grep -rn '^ *# *include "cli/[a-z_]*/' src/cli --include='*.cc' --include='*.hh' 2>/dev/null |
           grep -v '^src/cli/\([a-z_]*\)/[^:]*:[0-9]*: *# *include "cli/\1/' |
           grep -v '^src/cli/commands\.cc:'); test -n "$bad"
  then echo "not ok $n - $what"; echo "$bad" | sed 's/^/# /'
  else echo "ok $n - $what"; fi
}
names_by_folder() {  # a namespace per folder; src/core is everybody's: gleaner itself
  n=$((n + 1))
  what="a file's namespace is its folder's"
  if bad=$(grep -rnE -A1 '^namespace gleaner[a-z_:]* \{' src plugins runtime test/unit --include='*.cc' --include='*.hh' --include='*.cu' 2>/dev/null |
           awk '
             function done() { if (wrong) print wrong; wrong = "" }
             !/:[0-9]+:namespace / {  # the line after; others may be named beforehand
               if (/-[0-9]+-(class|struct) [A-Za-z]+;$/) wrong = ""
               done(); next
             }
             {
               done()
               said = file = $0
               sub(/:.*/, "", file)
               sub(/^[^:]*:[0-9]*:namespace /, "", said); sub(/ .*/, "", said)
               folder = file; sub(/^(src|test\/unit)\//, "", folder)
               if (folder ~ /^(runtime|plugins)\/.*\//) sub(/^[a-z]*\//, "", folder)
               if (!sub(/\/.*/, "", folder)) folder = "test"  # helpers of all unit tests
               name = "gleaner::" folder
               right = index(said "::", name "::") == 1
               if (folder == "core") right = said ~ /^gleaner(::contract)?$/
               if (folder == "proto" && said ~ /^gleaner::msg(::|$)/) right = 1
               # the fields of values of core; what the tests of comm declare
               if (file ~ /^src\/proto\/daemon_messages\.cc$/ && said == "gleaner") right = 1
               if (file ~ /\/planes_stand_in\.cc$/ && said == "gleaner::comm::test") right = 1
               if (!right) wrong = $0
             }
             END { done() }'); test -n "$bad"
  then echo "not ok $n - $what"; echo "$bad" | sed 's/^/# /'
  else echo "ok $n - $what"; fi
}
may_include src/core
may_include src/proto   core
may_include src/alloc   core
may_include src/profile core
may_include src/slurm   core
may_include src/daemon  core proto alloc profile slurm
may_include src/daemon/decisions core proto alloc profile
may_include src/daemon/io        core proto profile slurm daemon/decisions
may_include src/doctor  core slurm
may_include src/sim     core alloc profile
may_include src/cli     core proto alloc profile sim
may_include plugins     core proto slurm
may_include runtime     core proto
may_include runtime/os          core
may_include runtime/generation  core proto
may_include runtime/comm        core proto runtime/os
may_include runtime/state       core proto runtime/os runtime/comm
may_include runtime/gpu         core proto runtime/comm
may_include runtime/comm_host   core proto runtime/os runtime/comm
may_include runtime/agent       core proto runtime/os runtime/comm_host
may_include runtime/coordinator core proto runtime/os runtime/generation
may_include examples
only_in 'slurm/[a-z_]*\.h>' "Slurm's headers" 'src/slurm/|plugins/'
only_in 'gloo/'   "Gloo, in what is installed," 'nowhere'
only_in 'mpi\.h'  "MPI"             'runtime/comm_host/comm_process\.cc'
only_in 'pmix'    "PMIx"            'runtime/comm_host/pmix_server\.(cc|hh)'
only_in 'torch/'  "LibTorch"        'examples/'
only_in 'munge'   "MUNGE"           'src/proto/munge_credential'
only_in 'coin/'   "CBC"             'src/alloc/milp.cc'
only_in 'nccl\.h|cuda' "CUDA and NCCL" 'runtime/gpu/'
only_in 'hwloc'   "hwloc"           'runtime/agent/binding.cc'
only_in 'asio'     "Asio" 'src/proto/channel\.hh|src/daemon/io/(plugin_door|setup_watch|client_door|slurm_worker|poller)\.hh|src/daemon/(daemon\.hh|gleanerd\.cc)|src/cli/daemon_query\.cc|runtime/(member|coordinator|agent|comm_host)/'
only_in 'CLI/'     "CLI11" 'src/cli/|src/doctor/doctor\.cc|src/daemon/gleanerd\.cc|runtime/(coordinator/options|agent/main|comm_host/main)\.cc'
only_in 'yaml-cpp' "yaml-cpp"       'src/core/config.cc'
only_in 'sqlite3'  "SQLite" 'src/doctor/lease_journal\.cc|src/daemon/io/(journal|profile_store)\.cc|src/cli/report/journal\.cc'
only_in 'zlib'     "zlib"           'src/sim/input_file.cc'
only_in 'openssl/' "libcrypto"      'src/proto/|runtime/state/'
only_in 'nlohmann/json\.hpp' "all of JSON, in src/core and src/slurm," 'src/(alloc|profile|sim|proto|daemon|doctor|cli)/|plugins/|runtime/'
only_in 'core/contract' "contracts, which end a process and so not what slurmctld loads," 'src/(alloc|profile|sim|daemon|cli)/|runtime/'
names_by_folder
commands_apart
never_in_pure '(steady|system|high_resolution)_clock|clock_gettime|gettimeofday|std::time\(|"core/clock' 'clock, but to time the solver' 'src/sim/engine\.cc'
never_in_pure 'include (<(fstream|filesystem|iostream|fcntl|unistd|dirent|sys/stat)|"core/local_disk)|load_config\(' 'file, but for inputs of the simulator' 'src/sim/input_file\.'
never_in_pure 'include (<(asio|sys/socket|sys/un|netinet|arpa|netdb|poll|sys/epoll)|"proto/(channel|handshake|secret_door|munge))' 'socket' 'nowhere'
never_in_pure 'include <(thread|mutex|condition_variable|future|pthread|signal|sys/wait|spawn)' 'thread or process' 'nowhere'
in_tests 'catch2/' 'Catch2'        'test/unit/(catch\.hh|main\.cc)'
imports cffi  'in Python, only core.py calls libgleaner'  core.py
imports torch 'and core.py does without PyTorch'          '!core.py'
in_python 'torch\.cuda|torch\.version|__cuda' 'only device.py knows CUDA' device.py
# A search runs where neither is installed.
n=$((n + 1))
found=$(cd runtime/python/gleaner_campaign && grep -lE "^ *(import|from) (torch|gleaner)\b" ./*.py)
if test -z "$found"; then echo "ok $n - campaigns need neither PyTorch nor libgleaner"
else echo "not ok $n - campaigns need neither PyTorch nor libgleaner: $found"; fi
echo "1..$n"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does layering.t notice what it forbids?  Each line below is a file with one line in
# it, and the rule that must fail on it.  Every rule has an example.
top=$(cd "${top_srcdir:-.}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

examples() {
cat <<'END'
src/core/a.cc|#include "plugins/hint.hh"|src/core includes only:
src/core/a.hh|#include "proto/frame.hh"|src/core includes only:
src/core/a.hh|#include "test/unit/catch.hh"|src/core includes only:
src/proto/a.cc|#include "alloc/allocator.hh"|src/proto includes only:
src/alloc/a.cc|#include "proto/frame.hh"|src/alloc includes only:
src/profile/a.cc|#include "alloc/allocator.hh"|src/profile includes only:
src/slurm/a.cc|#include "daemon/decisions/brain.hh"|src/slurm includes only:
src/daemon/a.cc|#include "sim/engine.hh"|src/daemon includes only:
src/daemon/decisions/planner.cc|#include "daemon/daemon.hh"|src/daemon/decisions includes only:
src/daemon/decisions/brain.cc|#include "daemon/io/journal.hh"|src/daemon/decisions includes only:
src/daemon/decisions/supply.cc|#include "slurm/control.hh"|src/daemon/decisions includes only:
src/daemon/decisions/supply.cc|#include <slurm/slurm.h>|Slurm's headers only
src/daemon/io/poller.cc|#include "daemon/daemon.hh"|src/daemon/io includes only:
src/doctor/a.cc|#include "daemon/io/journal.hh"|src/doctor includes only:
src/sim/a.cc|#include "slurm/snapshot.hh"|src/sim includes only:
src/cli/a.cc|#include "slurm/control.hh"|src/cli includes only:
plugins/a.cc|#include "daemon/decisions/brain.hh"|plugins includes only:
runtime/python/a.c|#include "daemon/decisions/brain.hh"|runtime includes only:
runtime/os/a.cc|#include "runtime/state/registry.hh"|runtime/os includes only:
runtime/generation/a.cc|#include "runtime/comm/comm.hh"|runtime/generation includes only:
runtime/comm/a.cc|#include "runtime/state/registry.hh"|runtime/comm includes only:
runtime/state/a.cc|#include "runtime/generation/session.hh"|runtime/state includes only:
runtime/gpu/a.cc|#include "runtime/state/registry.hh"|runtime/gpu includes only:
runtime/comm_host/a.cc|#include "runtime/agent/agent.hh"|runtime/comm_host includes only:
runtime/agent/a.cc|#include "runtime/coordinator/options.hh"|runtime/agent includes only:
runtime/coordinator/a.cc|#include "runtime/member/member.hh"|runtime/coordinator includes only:
examples/a.c|#include "core/config.hh"|examples includes only:
src/daemon/a.cc|#include <slurm/slurm.h>|Slurm's headers only
runtime/comm/a.cc|#include <gloo/algorithm.h>|Gloo, in what is installed,
runtime/comm/a.cc|#include <mpi.h>|MPI only
runtime/agent/a.cc|#include <pmix.h>|PMIx only
runtime/member/a.cc|#include <torch/torch.h>|LibTorch only
src/daemon/a.cc|#include <munge.h>|MUNGE only
src/alloc/exact.cc|#include <coin/Cbc_C_Interface.h>|CBC only
runtime/comm/a.cc|#include <nccl.h>|CUDA and NCCL only
runtime/member/a.cc|#include <cuda_runtime_api.h>|CUDA and NCCL only
runtime/agent/agent.cc|#include <hwloc.h>|hwloc only
src/daemon/decisions/brain.cc|#include <asio.hpp>|Asio only
src/alloc/a.cc|#include <CLI/CLI.hpp>|CLI11 only
src/daemon/a.cc|#include <yaml-cpp/yaml.h>|yaml-cpp only
src/daemon/decisions/brain.cc|#include <sqlite3.h>|SQLite only
src/cli/a.cc|#include <zlib.h>|zlib only
src/daemon/a.cc|#include <openssl/hmac.h>|libcrypto only
src/core/a.hh|#include <nlohmann/json.hpp>|all of JSON,
src/slurm/a.cc|#include "core/contract.hh"|contracts, which end a process
plugins/a.cc|#include "core/contract.hh"|contracts, which end a process
src/alloc/a.cc|namespace gleaner {|a file's namespace is its folder's
src/core/a.hh|namespace gleaner::alloc {|a file's namespace is its folder's
runtime/os/a.hh|namespace gleaner::runtime {|a file's namespace is its folder's
plugins/a.cc|namespace gleaner::sched {|a file's namespace is its folder's
test/unit/alloc/a_test.cc|namespace gleaner::daemon {|a file's namespace is its folder's
test/unit/runtime/state/a_test.cc|namespace gleaner {|a file's namespace is its folder's
src/cli/report/a.cc|#include "cli/sim/simulate.hh"|a command includes nothing of another one
src/cli/svg.cc|#include "cli/report/history.hh"|a command includes nothing of another one
src/cli/solve/a.cc|namespace gleaner::solve {|a file's namespace is its folder's
src/daemon/decisions/planner.cc|auto now = std::chrono::steady_clock::now();|no clock
src/alloc/a.cc|auto now = std::time(nullptr);|no clock
src/daemon/decisions/brain.cc|#include <fstream>|no file
src/daemon/decisions/orders.cc|auto const config = load_config(path);|no file
src/daemon/decisions/status.cc|#include "proto/channel.hh"|no socket
src/daemon/decisions/roster.cc|#include <thread>|no thread or process
runtime/generation/a.cc|#include <sys/socket.h>|no socket
src/profile/a.cc|#include <mutex>|no thread or process
test/unit/a.cc|#include <catch2/catch.hpp>|Catch2 only
runtime/python/gleaner/job.py|from cffi import FFI|only core.py calls libgleaner
runtime/python/gleaner/core.py|import torch|core.py does without PyTorch
runtime/python/gleaner/job.py|torch.cuda.synchronize()|only device.py knows CUDA
runtime/python/gleaner_campaign/asking.py|import torch|campaigns need neither PyTorch nor libgleaner
END
}

# tree FILE LINE: a source tree that has only that.
tree() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/src" "$work/tree/test" "$work/tree/runtime/python/gleaner" \
    "$work/tree/$(dirname "${1:-a}")"
  : >"$work/tree/runtime/python/gleaner/core.py"
  [ -z "${1:-}" ] || printf '%s\n' "$2" >"$work/tree/$1"
}
found() { top_srcdir="$work/tree" sh "$top/test/layering.t" 2>/dev/null; }

n=0
say() {  # status, rule
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

tree
found >"$work/none"
! grep -q '^not ok' "$work/none"; say $? "a tree without any of it breaks no rule"
: >"$work/noticed"
examples >"$work/examples"
while IFS='|' read -r file line rule; do
  tree "$file" "$line"
  found | grep '^not ok' >"$work/said"
  grep -qF "$rule" "$work/said"; say $? "$file: $line"
  grep -F "$rule" "$work/said" | sed 's/^not ok [0-9]* //; s/: \.\/[a-z_]*\.py$//' >>"$work/noticed"
done <"$work/examples"
sed -n 's/^ok [0-9]* //p' "$work/none" | grep -vxFf "$work/noticed" >"$work/left"
! grep -q . "$work/left"; say $? "every rule has an example"
sed 's/^/# no example: /' "$work/left"
echo "1..$n"

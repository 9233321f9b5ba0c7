#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libgleaner_gpu.so has machine code for the GPUs that configure found nvcc to
# know: without it a driver compiles PTX in every member, or refuses PTX that is
# newer than itself.
build=${top_builddir:-.}
module=$build/runtime/gpu/.libs/libgleaner_gpu.so
test -f "$module" || { echo '1..0 # SKIP this build has no CUDA and NCCL'; exit 0; }
codes=$(sed -n 's/^NVCC_CODE = //p' "$build/Makefile" | grep -o 'code=sm_[0-9]*' | cut -d= -f2)
# ptxas writes how it was called beside what it made.
made=$(grep -aoE 'arch sm_[0-9]+' "$module" | cut -d' ' -f2 | sort -u)
echo 1..2
if test -n "$codes"; then echo 'ok 1 - nvcc knows GPUs of data centres'
else echo 'not ok 1 - nvcc knows GPUs of data centres'; fi
for code in $codes; do
  echo "$made" | grep -qx "$code" || missing="$missing $code"
done
if test -z "$missing"; then echo 'ok 2 - the kernel is compiled for all of these'
else echo "not ok 2 - the kernel is compiled for all of these: not$missing"; fi

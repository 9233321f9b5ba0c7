#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What resize.t promises holds with Open MPI's comm processes, too.
GLEANER_COMM=mpi
export GLEANER_COMM
. "${top_srcdir:-.}/test/runtime/resize.t"

# SPDX-License-Identifier: Apache-2.0
# How ./demo and ./check compile: sourced, sets the environment of configure.
#
# -O1 takes half the compiler's time of -O2, and nothing that is shown or tested
# depends on it.  ccache, where it is installed, makes the second build quick.
export CXXFLAGS=${CXXFLAGS:--O1} CFLAGS=${CFLAGS:--O1}
if command -v ccache >/dev/null; then
  export CC=${CC:-ccache gcc} CXX=${CXX:-ccache g++}
fi

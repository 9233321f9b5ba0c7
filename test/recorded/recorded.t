#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Do recorded inputs mean what they meant?  A case a folder: see README.md.
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
exec python3 "${top_srcdir:-.}/test/recorded/cases" --build "${top_builddir:-build}"

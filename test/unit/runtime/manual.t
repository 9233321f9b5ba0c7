#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Section 3 of the manual describes gleaner.h: all of it, and nothing else.
top=${top_srcdir:-.}
header=$top/runtime/include/gleaner/gleaner.h
library=${top_builddir:-.}/runtime/.libs/libgleaner.so
pages=$top/doc/man3

declared=$(sed -nE 's/^(.*[ *])?(gleaner_[a-z_]+)\(.*/\2/p' "$header" | sort -u |
  grep -v '_fn$')
exported=$(nm -D --defined-only "$library" | sed -nE 's/.* T (gleaner_[a-z_]+)@.*/\1/p' |
  sort -u)
# What a page's SYNOPSIS declares, and its NAME names.
described=$(grep -hE '^\.B[IR] .*gleaner_[a-z_]+\(' "$pages"/*.3 |
  sed -nE '/^\.BR gleaner_/d; s/^\.BI "(typedef .*|.*[ *](gleaner_[a-z_]+)\(.*)/\2/p' |
  grep . | sort -u)
named=$(sed -n '/^\.SH NAME/{n;p;}' "$pages"/gleaner_*.3 | sed 's/ \\-.*//; s/, /\n/g' |
  sort -u)
constants=$(sed -nE '/^enum/,/};/s/.*\b(GLEANER_[A-Z0-9]+) = .*/\1/p' "$header" | sort -u)

echo 1..6
n=0
equal() {  # name, expected list, list
  n=$((n + 1))
  if test -n "$2" && test "$2" = "$3"; then echo "ok $n - $1"; return; fi
  echo "not ok $n - $1"
  printf '%s\n' "$2" >"${TMPDIR:-/tmp}/manual.$$"
  printf '%s\n' "$3" | diff "${TMPDIR:-/tmp}/manual.$$" - | sed 's/^/# /'
  rm -f "${TMPDIR:-/tmp}/manual.$$"
}
equal 'the library exports what gleaner.h declares' "$declared" "$exported"
equal 'every function has a synopsis, and no other' "$declared" "$described"
equal 'every function is named by a page, and no other' "$declared" "$named"
equal 'every function has a page of its name' "$declared" \
  "$(cd "$pages" && ls gleaner_*.3 | sed 's/\.3$//' | sort -u)"
missing=$(for constant in $constants; do
  grep -qw "$constant" "$pages"/*.3 || echo "$constant"; done)
equal 'every constant is explained' "none missing" "${missing:-none missing}"
broken=$(cd "$pages/.." && sed -n 's/^\.so //p' man3/*.3 | sort -u |
  while read -r page; do test -f "$page" || echo "$page"; done)
equal 'what a page refers to exists' "none broken" "${broken:-none broken}"

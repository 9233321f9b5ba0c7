# SYNOPSIS
#   X_AC_SLURM
#
# DESCRIPTION
#   The Slurm plugins, and gleanerd's view of Slurm, from public headers.
#   A prefix is looked up in itself only.  Sets SLURM_VERSION to the release
#   the plugins are built for: Slurm loads them into no other.
AC_DEFUN([X_AC_SLURM], [
  X_AC_OPTIONAL([slurm], [SLURM], [Slurm plugins],
    [Install libslurm-dev (slurm-devel) or name the prefix that holds include/slurm/spank.h], [
    AS_CASE([$with_slurm],
      [yes|check],
        [AC_CHECK_HEADER([slurm/spank.h], [have_slurm=yes])
         slurm_header_dir=/usr/include],
      [AS_IF([test -f "$with_slurm/include/slurm/spank.h"],
         [have_slurm=yes
          slurm_header_dir=$with_slurm/include
          # Its headers are not ours to mend: no warnings about them.
          SLURM_CPPFLAGS="-isystem $with_slurm/include"
          SLURM_LDFLAGS="-L$with_slurm/lib"])])
    AS_IF([test $have_slurm = yes],
      [SLURM_LIBS="$SLURM_LDFLAGS -lslurm"
       AC_LANG_PUSH([C++])
       x_save_CPPFLAGS=$CPPFLAGS; CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
       AC_COMPUTE_INT([slurm_major], [SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER)], [#include <slurm/slurm.h>], [slurm_major=0])
       AC_COMPUTE_INT([slurm_minor], [SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER)], [#include <slurm/slurm.h>], [slurm_minor=0])
       AC_COMPUTE_INT([slurm_micro], [SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER)], [#include <slurm/slurm.h>], [slurm_micro=0])
       CPPFLAGS=$x_save_CPPFLAGS
       AC_LANG_POP([C++])
       SLURM_VERSION=`printf '%02d.%02d.%d' $slurm_major $slurm_minor $slurm_micro`])
  ])
])

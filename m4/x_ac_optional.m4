# SYNOPSIS
#   X_AC_OPTIONAL(name, NAME, what, remedy, check-body)
#
# DESCRIPTION
#   One optional part.  --with-name[=PREFIX] builds it; without the option it
#   is built when found.  check-body sets have_name=yes, and may set
#   NAME_CPPFLAGS and NAME_LIBS; it finds the value of the option in with_name
#   (yes, check or a prefix).  Asked for and missing stops configure with
#   `remedy`.  Sets the conditional HAVE_NAME.
AC_DEFUN([X_AC_OPTIONAL], [
  AC_ARG_WITH([$1],
    [AS_HELP_STRING([--with-$1@<:@=PREFIX@:>@], [$3 @<:@if found@:>@])],
    [], [with_$1=check])
  have_$1=no
  AS_IF([test "x$with_$1" != xno], [$5])
  AS_CASE([$with_$1:$have_$1],
    [no:*|check:*|*:yes], [],
    [AC_MSG_ERROR([$3: not found (--with-$1=$with_$1). $4])])
  AC_SUBST([$2_CPPFLAGS])
  AC_SUBST([$2_LIBS])
  AM_CONDITIONAL([HAVE_$2], [test $have_$1 = yes])
])

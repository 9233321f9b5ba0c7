# SYNOPSIS
#   X_AC_PYTHON
#
# DESCRIPTION
#   The Python package `gleaner`, for PyTorch.  --with-python=PROGRAM names the
#   interpreter; without it, the first of python3 and /usr/bin/python3 that has
#   PyTorch and cffi.  Sets PYTHON, pythondir and the conditional HAVE_PYTHON.
AC_DEFUN([X_AC_PYTHON], [
  X_AC_OPTIONAL([python], [PYTHON_PACKAGE], [the Python package],
    [Install python3-torch and python3-cffi or name another interpreter], [
    AS_CASE([$with_python],
      [yes|check], [x_pythons="${PYTHON:-python3} /usr/bin/python3"],
      [x_pythons=$with_python])
    for x_python in $x_pythons; do
      AC_MSG_CHECKING([whether $x_python has PyTorch and cffi])
      AS_IF([$x_python -c 'import cffi, torch' >/dev/null 2>&1],
        [AC_MSG_RESULT([yes]); have_python=yes; PYTHON=$x_python; break],
        [AC_MSG_RESULT([no])])
    done])
  AS_IF([test $have_python = yes], [
    AM_PATH_PYTHON([3.9])
    # Debian's interpreter looks into dist-packages only.
    x_packages=`$PYTHON -c "import site; print('dist' if 'dist-packages' in
      ''.join(site.getsitepackages()) else 'site')"`
    pythondir="\${prefix}/lib/python$PYTHON_VERSION/$x_packages-packages"])
  AM_CONDITIONAL([HAVE_PYTHON], [test $have_python = yes])
])

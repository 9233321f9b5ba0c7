# SYNOPSIS
#   X_AC_REQUIRED_LIBS
#
# DESCRIPTION
#   What nothing of Gleaner works without: yaml-cpp, OpenSSL's libcrypto, zlib,
#   and the header-only Asio, nlohmann-json and CLI11.
AC_DEFUN([X_AC_REQUIRED_LIBS], [
  PKG_CHECK_MODULES([YAML], [yaml-cpp])
  PKG_CHECK_MODULES([CRYPTO], [libcrypto])
  PKG_CHECK_MODULES([ZLIB], [zlib])
  x_missing=
  AC_CHECK_HEADER([asio/version.hpp], [], [x_missing="$x_missing libasio-dev"])
  AC_CHECK_HEADER([nlohmann/json.hpp], [], [x_missing="$x_missing nlohmann-json3-dev"])
  AC_CHECK_HEADER([CLI/CLI.hpp], [], [x_missing="$x_missing libcli11-dev"])
  AS_IF([test -n "$x_missing"],
    [AC_MSG_ERROR([required headers not found. Install:$x_missing])])
])

# SYNOPSIS
#   X_AC_MUNGE, X_AC_SQLITE, X_AC_CBC, X_AC_GLOO, X_AC_MPI,
#   X_AC_HWLOC, X_AC_CUDA, X_AC_NCCL, X_AC_TORCH
#
# DESCRIPTION
#   MUNGE: who connects to gleanerd.  SQLite: gleanerd's journal.  CBC: policy
#   milp.  Gloo: what make bench-runtime sets beside plane tcp.  Open
#   MPI with PMIx: the data plane of fast networks.  hwloc: members have cores of their own.
#   CUDA and NCCL, together: gradients on GPUs and the data plane between them.
#   LibTorch: examples/char_lm.
AC_DEFUN([X_AC_MUNGE], [
  X_AC_OPTIONAL([munge], [MUNGE], [MUNGE authentication],
    [Install libmunge-dev], [
    PKG_CHECK_MODULES([MUNGE], [munge], [have_munge=yes], [have_munge=no])])
])
AC_DEFUN([X_AC_SQLITE], [
  X_AC_OPTIONAL([sqlite], [SQLITE], [the journal of gleanerd],
    [Install libsqlite3-dev], [
    PKG_CHECK_MODULES([SQLITE], [sqlite3], [have_sqlite=yes], [have_sqlite=no])])
])
AC_DEFUN([X_AC_CBC], [
  X_AC_OPTIONAL([cbc], [CBC], [the policy milp],
    [Install coinor-libcbc-dev], [
    AC_CHECK_HEADER([coin/Cbc_C_Interface.h],
      [have_cbc=yes; CBC_LIBS="-lCbcSolver -lCbc"])])
])
AC_DEFUN([X_AC_GLOO], [
  X_AC_OPTIONAL([gloo], [GLOO], [Gloo, to compare with],
    [Install libgloo-dev], [
    AC_CHECK_HEADER([gloo/allreduce.h],
      [have_gloo=yes; GLOO_LIBS="-lgloo -lpthread"])])
])
AC_DEFUN([X_AC_HWLOC], [
  X_AC_OPTIONAL([hwloc], [HWLOC], [binding of members to cores],
    [Install libhwloc-dev], [
    PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.0], [have_hwloc=yes], [have_hwloc=no])])
])
AC_DEFUN([X_AC_CUDA], [
  X_AC_OPTIONAL([cuda], [CUDA], [memory of NVIDIA GPUs],
    [Name the prefix that holds bin/nvcc and include/cuda_runtime_api.h], [
    AS_CASE([$with_cuda], [yes|check], [x_cuda=/usr/local/cuda], [x_cuda=$with_cuda])
    AC_MSG_CHECKING([for CUDA in $x_cuda])
    AS_IF([test -x "$x_cuda/bin/nvcc" && test -f "$x_cuda/include/cuda_runtime_api.h"],
      [have_cuda=yes
       NVCC=$x_cuda/bin/nvcc
       CUDA_CPPFLAGS="-isystem $x_cuda/include"
       CUDA_LIBS="-L$x_cuda/lib64 -R$x_cuda/lib64 -lcudart"])
    AC_MSG_RESULT([$have_cuda])])
  AC_SUBST([NVCC])
  AS_IF([test $have_cuda = yes], [X_AC_NVCC_CODE])
])

# SYNOPSIS
#   X_AC_NVCC_CODE
#
# DESCRIPTION
#   What the kernel is compiled to, in NVCC_CODE: machine code for the GPUs of data
#   centres that this nvcc knows, so that no driver has to compile it when a member
#   starts, and PTX of the oldest architecture that nvcc knows for all other GPUs.
#   A driver older than nvcc may refuse to read the PTX; machine code it takes.
AC_DEFUN([X_AC_NVCC_CODE], [
  AC_MSG_CHECKING([which GPUs to compile for])
  x_codes=`$NVCC --list-gpu-code 2>/dev/null`
  x_oldest=`$NVCC --list-gpu-arch 2>/dev/null | sed -n 1p`
  AS_IF([test -z "$x_oldest"], [x_oldest=compute_75])
  NVCC_CODE="-gencode=arch=$x_oldest,code=$x_oldest"
  x_list="$x_oldest"
  for x_arch in 80 90 100; do
    AS_IF([echo "$x_codes" | grep -qx "sm_$x_arch"],
      [NVCC_CODE="$NVCC_CODE -gencode=arch=compute_$x_arch,code=sm_$x_arch"
       x_list="$x_list sm_$x_arch"])
  done
  AC_MSG_RESULT([$x_list])
  AC_SUBST([NVCC_CODE])
])
AC_DEFUN([X_AC_NCCL], [
  X_AC_OPTIONAL([nccl], [NCCL], [the NCCL data plane],
    [Install NCCL, name its prefix, and build --with-cuda], [
    AS_CASE([$with_nccl], [yes|check], [x_nccl=$x_cuda], [x_nccl=$with_nccl])
    AC_MSG_CHECKING([for NCCL])
    AS_IF([test $have_cuda = yes],
      [AS_IF([test -f "$x_nccl/include/nccl.h"],
         [have_nccl=yes
          NCCL_CPPFLAGS="-isystem $x_nccl/include"
          NCCL_LIBS="-L$x_nccl/lib64 -L$x_nccl/lib -R$x_nccl/lib -lnccl"],
         [test -f /usr/include/nccl.h],
         [have_nccl=yes; NCCL_LIBS=-lnccl])])
    AC_MSG_RESULT([$have_nccl])])
  AM_CONDITIONAL([HAVE_GPU], [test $have_nccl = yes])
])
AC_DEFUN([X_AC_MPI], [
  X_AC_OPTIONAL([mpi], [MPI], [the Open MPI data plane],
    [Install libopenmpi-dev (Open MPI 4.1 or 5) and libpmix-dev], [
    AS_CASE([$with_mpi], [yes|check], [],
      [PKG_CONFIG_PATH="$with_mpi/lib/pkgconfig:$PKG_CONFIG_PATH"
       export PKG_CONFIG_PATH])
    AS_IF([$PKG_CONFIG --exists "ompi-c >= 6"],
      [AC_MSG_WARN([Open MPI 6 is not supported yet: it does not connect several nodes of one machine, see doc/platforms.md])])
    PKG_CHECK_MODULES([MPI], [ompi-c < 6],
      [PKG_CHECK_MODULES([PMIX], [pmix >= 4], [have_mpi=yes], [have_mpi=no])],
      [have_mpi=no])])
])
AC_DEFUN([X_AC_TORCH], [
  X_AC_OPTIONAL([torch], [TORCH], [the LibTorch examples],
    [Install libtorch-dev], [
    x_torch_api=/usr/include/torch/csrc/api/include
    AS_CASE([$with_torch], [yes|check], [],
      [x_torch_api=$with_torch/include/torch/csrc/api/include
       TORCH_CPPFLAGS="-isystem $with_torch/include"
       TORCH_LIBS="-L$with_torch/lib"])
    AS_IF([test -f $x_torch_api/torch/torch.h],
      [have_torch=yes
       TORCH_CPPFLAGS="$TORCH_CPPFLAGS -isystem $x_torch_api"
       TORCH_LIBS="$TORCH_LIBS -ltorch -ltorch_cpu -lc10"])])
])

# SYNOPSIS
#   X_AC_GLEANERD
#
# DESCRIPTION
#   gleanerd, the coordinator and `gleaner status` and `report` need Slurm, MUNGE and
#   SQLite together.  Sets have_gleanerd and the conditional HAVE_GLEANERD.
AC_DEFUN([X_AC_GLEANERD], [
  have_gleanerd=no
  AS_IF([test $have_slurm$have_munge$have_sqlite = yesyesyes],
    [have_gleanerd=yes])
  AM_CONDITIONAL([HAVE_GLEANERD], [test $have_gleanerd = yes])
])

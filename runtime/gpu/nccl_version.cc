// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/nccl_version.hh"

namespace gleaner::gpu {
namespace {

/// With this version communicators became able not to block.
constexpr int oldest = 21400;
/// Versions before 2.9 are counted in thousands, others in ten thousands.
constexpr int first_long_code = 10000;

int major_of(int code) {
  return code < first_long_code ? code / 1000 : code / 10000;
}

}  // namespace

std::string nccl_version_text(int code) {
  int const minor =
      code < first_long_code ? code % 1000 / 100 : code % 10000 / 100;
  return std::to_string(major_of(code)) + '.' + std::to_string(minor) + '.' +
         std::to_string(code % 100);
}

Result<void> check_nccl_version(int loaded, int built_with) {
  bool const old = loaded < first_long_code || loaded < oldest;
  if (!old && major_of(loaded) == major_of(built_with)) return {};
  return Error{
      Errc::invalid_argument,
      "NCCL " + nccl_version_text(loaded) + " is loaded, and " +
          (old ? "2.14 or newer is needed"
               : "libgleaner_gpu was built for another major version") +
          " [it was built with NCCL " + nccl_version_text(built_with) +
          "; the first libnccl.so.2 that the program loads counts, such as "
          "PyTorch's: use another PyTorch, or build libgleaner_gpu with that "
          "NCCL]"};
}

}  // namespace gleaner::gpu

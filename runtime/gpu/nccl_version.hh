// SPDX-License-Identifier: Apache-2.0
/// Can this build work with the NCCL that a program has loaded?
///
/// The linker takes the first libnccl.so.2 of a process for all: where PyTorch
/// brought one, that is it, and not the one that this was built with.
#pragma once

#include <string>

#include "core/result.hh"

namespace gleaner::gpu {

/// "2.28.9", of the number that ncclGetVersion() gives.
std::string nccl_version_text(int code);

/// Fails with invalid_argument, naming both versions and what to do.  A newer
/// one is good, and so is an older one that has what is always needed.
Result<void> check_nccl_version(int loaded, int built_with);

}  // namespace gleaner::gpu

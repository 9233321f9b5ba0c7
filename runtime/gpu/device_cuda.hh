// SPDX-License-Identifier: Apache-2.0
/// The memory of an NVIDIA GPU.
#pragma once

#include <memory>

#include "runtime/comm/device.hh"

namespace gleaner::gpu {

/// Fails with not_found when CUDA sees no such device.
Result<std::shared_ptr<comm::Device>> open_cuda_device(int index);

}  // namespace gleaner::gpu

// SPDX-License-Identifier: Apache-2.0
/// The data plane over NCCL, between buffers on GPUs.
#pragma once

#include <chrono>

#include "runtime/comm/comm.hh"

namespace gleaner::gpu {

/// options.device is a GPU.  Fails with unavailable when CUDA does, and with
/// invalid_argument when this NCCL cannot be used.
Result<std::unique_ptr<comm::Plane>> make_nccl_plane(
    comm::PlaneOptions const& options);

/// The same with another limit than 10 s to how long what was aborted may run
/// on; for tests.
Result<std::unique_ptr<comm::Plane>> make_nccl_plane(
    comm::PlaneOptions const& options,
    std::chrono::milliseconds abort_time_max);

}  // namespace gleaner::gpu

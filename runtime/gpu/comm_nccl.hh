// SPDX-License-Identifier: Apache-2.0
/// The data plane over NCCL, between buffers on GPUs.
#pragma once

#include "runtime/comm/comm.hh"

namespace gleaner {

/// options.device is a GPU.  Fails with unavailable when CUDA does.
Result<std::unique_ptr<Plane>> make_nccl_plane(PlaneOptions const& options);

}  // namespace gleaner

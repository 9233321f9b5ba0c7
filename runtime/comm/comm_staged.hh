// SPDX-License-Identifier: Apache-2.0
/// Buffers on a GPU, summed by a data plane of the host.
#pragma once

#include "runtime/comm/comm.hh"

namespace gleaner::comm {

/// Copies what is to be summed to the host, and the sum back.
std::unique_ptr<Plane> make_staged_plane(std::unique_ptr<Plane> plane,
                                         std::shared_ptr<Device> device);

}  // namespace gleaner::comm

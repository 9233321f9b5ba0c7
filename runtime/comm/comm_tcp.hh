// SPDX-License-Identifier: Apache-2.0
/// The data plane over TCP between nodes, over shared memory inside one.
#pragma once

#include "runtime/comm/comm.hh"

namespace gleaner::comm {

/// Fails with invalid_argument or io when it cannot listen on options.address.
Result<std::unique_ptr<Plane>> make_tcp_plane(PlaneOptions const& options);

}  // namespace gleaner::comm

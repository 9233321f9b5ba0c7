// SPDX-License-Identifier: Apache-2.0
/// The data plane over Open MPI, in a process of its own.
#pragma once

#include "runtime/comm/comm.hh"

namespace gleaner::comm {

/// Fails with unavailable when options.comm_host is empty.
Result<std::unique_ptr<Plane>> make_mpi_plane(PlaneOptions const& options);

}  // namespace gleaner::comm

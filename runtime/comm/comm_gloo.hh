// SPDX-License-Identifier: Apache-2.0
/// The data plane over Gloo's TCP transport.
#pragma once

#include "runtime/comm/comm.hh"

namespace gleaner {

/// Fails with io when no socket can be opened on options.address.
Result<std::unique_ptr<Plane>> make_gloo_plane(PlaneOptions const& options);

}  // namespace gleaner

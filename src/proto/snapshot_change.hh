// SPDX-License-Identifier: Apache-2.0
/// What has changed from one snapshot to the next.
///
/// A snapshot of 10,000 nodes and 5,000 waiting jobs is some MB of text, of
/// which an event changes a few lines.
#pragma once

#include "core/cluster.hh"
#include "core/result.hh"
#include "proto/daemon_messages.hh"

namespace gleaner::proto {

/// The message that turns `before` into `next` at the receiver.
msg::HolesSince make_change(Snapshot const& next, Snapshot const& before);

/// The snapshot that was told.  Fails with invalid_argument, naming the list,
/// when it was made for another `before`.
Result<Snapshot> apply_change(msg::HolesSince const& change,
                              Snapshot const& before);

}  // namespace gleaner::proto

// SPDX-License-Identifier: Apache-2.0
/// Which checkpoint a training starts from: DIR/checkpoints/latest.json.
///
/// Only the coordinator moves it, and only to a file whose step cannot be
/// undone any more.
#pragma once

#include <optional>
#include <string>

#include "core/result.hh"
#include "runtime/generation/membership.hh"

namespace gleaner {

/// Paths of this run's checkpoints, up to a number; no other run's.
std::string checkpoint_prefix(std::string const& dir);

/// Point to this checkpoint, then remove those it supersedes.
Result<void> point_to_latest(std::string const& dir,
                             membership::Register const& newest);

/// None when there is none, or when the file is gone.
std::optional<membership::Checkpoint> read_latest(std::string const& dir);

}  // namespace gleaner

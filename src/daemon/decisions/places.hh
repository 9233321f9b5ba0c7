// SPDX-License-Identifier: Apache-2.0
/// The nodes, and parts of nodes, that trainings have or could have.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/cluster.hh"

namespace gleaner::daemon {

/// What could serve rigid jobs: a node, or a part of it, idle or lent.
struct Place {
  Hole hole;  ///< of a part, Hole::node is its name: "n3+1"
  std::optional<Resources> part = std::nullopt;  ///< none: the whole node
  TimeS since_s = 0;  ///< when it became one, lent or not
  bool lent = false;  ///< a trainer uses it, or is about to
  JobId lease = 0;    ///< that is on it
  /// A lease is on it, or still completes, and it is no hole any more; 0: it
  /// is one.
  TimeS missing_since_s = 0;
};
using Places = std::map<std::string, Place>;  ///< by name (core/place.hh)

}  // namespace gleaner::daemon

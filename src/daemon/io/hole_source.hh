// SPDX-License-Identifier: Apache-2.0
/// Where gleanerd's snapshots come from: a plugin or its own polling.
#pragma once

#include <functional>

#include "core/cluster.hh"

namespace gleaner::daemon {

class HoleSource {
 public:
  using OnSnapshot = std::function<void(Snapshot)>;
  virtual ~HoleSource() = default;

  /// Something changed: look as soon as possible.  Calls may be many; looks
  /// are at least `scan_gap_ms_min` apart.
  virtual void look_again() = 0;
};

}  // namespace gleaner::daemon

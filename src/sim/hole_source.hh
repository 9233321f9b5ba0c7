// SPDX-License-Identifier: Apache-2.0
/// Where holes come from: a recording, or a simulated batch system.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/idle_events.hh"

namespace gleaner::sim {

/// Nodes that stop and begin to be idle at one moment.
struct HoleChange {
  std::vector<NodeNumber> leavers;
  std::vector<NodeNumber> joiners;
};

/// Time only moves forward, from one change to the next.
class HoleSource {
 public:
  virtual ~HoleSource() = default;

  /// Every node there is, by number.
  virtual std::vector<std::string> const& nodes() const = 0;

  /// When the next change comes, if one does.
  virtual std::optional<double> next_s() const = 0;

  /// Go on to next_s() and say what changed then.  `lent[n]`: a trainer has
  /// node n.  A leaver is no longer lent when this returns.
  virtual HoleChange advance(std::vector<bool> const& lent) = 0;

  /// When an idle node is to be used again, as far as that is known now.
  virtual std::optional<double> end_s(NodeNumber node) const = 0;
};

}  // namespace gleaner::sim

// SPDX-License-Identifier: Apache-2.0
/// Holes as they were recorded.
#pragma once

#include "sim/hole_source.hh"

namespace gleaner::sim {

struct RecordedHolesOptions {
  /// How far ahead the end of a hole is told, as Slurm's plan would tell it;
  /// 0: never, because a recording by itself knows nothing of the future.
  double known_ahead_s = 0;
  /// Not 0: nodes that become idle at the same moment come in an order drawn
  /// from this, not in that of the file.  Shows what chance is worth.
  std::uint64_t seed = 0;
};

class RecordedHoles final : public HoleSource {
 public:
  explicit RecordedHoles(IdleEvents recorded, RecordedHolesOptions = {});

  std::vector<std::string> const& nodes() const override {
    return recorded_.nodes;
  }
  std::optional<double> next_s() const override;
  HoleChange advance(std::vector<bool> const& lent) override;
  std::optional<double> end_s(NodeNumber node) const override;

 private:
  IdleEvents recorded_;
  RecordedHolesOptions options_;
  std::size_t next_ = 0;  ///< first event that has not happened
  double now_s_ = 0;
  /// When each event's node leaves, if the event is its becoming idle.
  std::vector<std::optional<double>> leave_s_;
  /// The same for the hole each node is in.
  std::vector<std::optional<double>> hole_end_s_;
};

}  // namespace gleaner::sim

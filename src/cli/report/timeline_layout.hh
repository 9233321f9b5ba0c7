// SPDX-License-Identifier: Apache-2.0
/// What is drawn in the timeline: its boxes and stairs, before there is a
/// picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/report/history.hh"

namespace gleaner::cli {

/// A rigid job on rows that lie next to each other.
struct Block {
  std::size_t first_row = 0;
  std::size_t rows = 1;
  Span span;
  RigidJob const* job = nullptr;
};

/// The boxes to draw for these jobs; rows are the places in `nodes`.  A job on
/// nodes that do not lie together gets several.
std::vector<Block> blocks(std::vector<RigidJob> const& jobs,
                          std::vector<std::string> const& nodes, Span window);

/// A value that holds from t_s on.
struct Change {
  double t_s = 0;
  int value = 0;
  bool operator==(Change const&) const = default;
};

/// How many of `nodes` the spans of `spans_of(node)` cover, over time.
std::vector<Change> count_over_time(std::vector<Spans> const& spans);

/// Mean of each point and its neighbours, `reach` to either side.
std::vector<LossPoint> smoothed(std::vector<LossPoint> const& points,
                                std::size_t reach);

}  // namespace gleaner::cli

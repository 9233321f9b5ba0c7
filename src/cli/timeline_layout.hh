// SPDX-License-Identifier: Apache-2.0
/// Where things go in the timeline: the part of it that can be reasoned about
/// without a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/history.hh"

namespace gleaner::cli {

/// Maps time, or any other value, to a place on the page.
struct Scale {
  double from = 0, to = 1;  ///< values at the ends
  double place_from = 0, place_to = 1;

  double at(double value) const {
    return place_from + (value - from) / (to - from) * (place_to - place_from);
  }
};

/// A distance between ticks that people count in (1, 2, 5, 10, 15, 30 s, whole
/// minutes, hours), with at most `ticks_max` of them in `span_s`.
double tick_step_s(double span_s, int ticks_max);

/// "0 s", "40 s", "2 min", "1.5 min", "2 h": a time since the beginning, in
/// the unit that `step_s` asks for.
std::string tick_label(double t_s, double step_s);

/// 1, 2 or 5 times a power of ten: the largest that is not above `value`.
double round_step(double value);

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

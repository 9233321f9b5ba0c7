// SPDX-License-Identifier: Apache-2.0
/// Where are the values and the ticks of a picture's axis?
#pragma once

#include <string>

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

}  // namespace gleaner::cli

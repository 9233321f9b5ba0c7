// SPDX-License-Identifier: Apache-2.0
#include "cli/axes.hh"

#include <cmath>
#include <cstdio>

namespace gleaner::cli {

double tick_step_s(double span_s, int ticks_max) {
  static constexpr double steps[] = {1,   2,   5,   10,   15,   30,   60,
                                     120, 300, 600, 1800, 3600, 7200, 21600};
  for (double step : steps)
    if (span_s / step <= ticks_max) return step;
  return std::ceil(span_s / ticks_max / 86400) * 86400;
}

std::string tick_label(double t_s, double step_s) {
  double const unit_s = step_s >= 3600 ? 3600 : step_s >= 60 ? 60 : 1;
  char const* unit = unit_s == 3600 ? "h" : unit_s == 60 ? "min" : "s";
  char text[48];
  std::snprintf(text, sizeof text, "%g %s", t_s / unit_s, unit);
  return text;
}

double round_step(double value) {
  double const power = std::pow(10, std::floor(std::log10(value)));
  return value >= 5 * power   ? 5 * power
         : value >= 2 * power ? 2 * power
                              : power;
}

}  // namespace gleaner::cli

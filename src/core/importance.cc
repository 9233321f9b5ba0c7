// SPDX-License-Identifier: Apache-2.0
/// Reading and writing weights and deadlines.
#include "core/importance.hh"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/quoted.hh"

namespace gleaner {
namespace {

constexpr std::int64_t year_10000_s = 253402300800;

}  // namespace

bool is_weight(double weight) {
  return weight >= weight_least && weight <= weight_most;  // false for a NaN
}

double clamped_weight(double weight) {
  if (std::isnan(weight)) return 1;
  return std::clamp(weight, weight_least, weight_most);
}

Result<double> parse_weight(std::string_view option, std::string_view text) {
  double weight = 0;
  auto const* const end = text.data() + text.size();
  auto const [stop, error] =
      std::from_chars(text.data(), end, weight, std::chars_format::fixed);
  if (error != std::errc() || stop != end || !is_weight(weight))
    return Error{Errc::invalid_argument,
                 std::string(option) + "=" + in_quotes(text) +
                     ": not a weight [write a number from " +
                     weight_text(weight_least) + " to " +
                     weight_text(weight_most) + ", for example " +
                     std::string(option) + "=2]"};
  return weight;
}

std::string weight_text(double weight) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", weight);
  return text;
}

Result<TimeS> parse_deadline_s(std::string_view text) {
  std::int64_t seconds = 0;
  auto const* const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stop != end || seconds <= 0 ||
      seconds >= year_10000_s)
    return Error{Errc::invalid_argument,
                 in_quotes(text) + " is no time in seconds since 1970"};
  return static_cast<TimeS>(seconds);
}

}  // namespace gleaner

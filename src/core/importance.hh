// SPDX-License-Identifier: Apache-2.0
/// How much a training matters among its user's own: a weight and a deadline.
///
/// Both share out what a user's trainings have together; neither takes anything
/// from other users (doc/architecture.md, "Allocation").  Said by sbatch
/// --malleable-weight and --malleable-deadline, by `gleaner run`, and by the
/// training itself while it runs.
#pragma once

#include <string>
#include <string_view>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner {

/// A training with twice the weight of another one of the same user gains as
/// much by a node as that one does that is sped up twice as much by it.  Beyond
/// a factor of 100 weights would decide alone, whatever speeds are.
inline constexpr double weight_least = 0.1;
inline constexpr double weight_most = 10;

/// Is it a number from weight_least to weight_most?
bool is_weight(double weight);

/// The nearest weight that there is; 1 for what is no number.
double clamped_weight(double weight);

/// Read "4" or "0.5".  Fails with invalid_argument, quoting `option` and the
/// value (shortened, unprintable characters replaced), with what to write.
Result<double> parse_weight(std::string_view option, std::string_view text);

/// As parse_weight() reads it, to four digits: "0.5".
std::string weight_text(double weight);

/// A deadline as whole seconds since 1970, as programs pass it to each other.
/// Fails with invalid_argument for anything but digits, and beyond year 9999.
Result<TimeS> parse_deadline_s(std::string_view text);

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// The figures of a simulated run, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/outcome.hh"

namespace gleaner::sim {

/// Keys as in gleaner-sim(1), in that order.
nlohmann::ordered_json summary(Outcome const& outcome);

}  // namespace gleaner::sim

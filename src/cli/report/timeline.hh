// SPDX-License-Identifier: Apache-2.0
/// The picture of a run: which node did what when, and what it was good for.
#pragma once

#include <string>

#include "cli/report/history.hh"
#include "cli/report/summary.hh"

namespace gleaner::cli {

/// Nodes over time with rigid jobs, leases by trainer and idle time; below it
/// every trainer's resizes, its number of nodes, and its loss.  An SVG file.
std::string timeline_svg(History const& history, Summary const& summary);

}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
/// How much a training matters among its user's, as far as gleanerd believes
/// it, and what is left to do in the units of its plans.
#pragma once

#include "daemon/decisions/roster.hh"

namespace gleaner::daemon {

/// What users say, brought into bounds: a weight that there is, and a deadline
/// before the year 10000.  What makes no sense counts as not said.
msg::Importance in_bounds(msg::Importance said);

/// What the training says while it runs; else what it was submitted with.
double weight_of(TrainerEntry const& trainer);
/// Likewise; 0: none.
TimeS deadline_of(TrainerEntry const& trainer);

/// For how many seconds one node would be busy with what is left, as speeds in
/// plans are multiples of that of one node; 0: unknown.
double work_left_s(TrainerEntry const& trainer);

}  // namespace gleaner::daemon

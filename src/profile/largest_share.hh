// SPDX-License-Identifier: Apache-2.0
/// How long does the member with the largest share of a batch compute, and how
/// much of a step is the fault of one slow member?
#pragma once

#include <cstdint>

#include "profile/pace.hh"

namespace gleaner::profile {

struct LargestShare {
  double compute_s = 0;    ///< of a member that is as fast as the others
  double straggled_s = 0;  ///< the step takes this longer for one slow member
};

/// A batch that is small for its members is shared unequally: with 4 samples
/// and 3 members one member has twice what the others have, and is not slow for
/// that.  global_batch 0: not known, and shares count as equal.  Of a pace
/// whose compute times are known.
LargestShare largest_share(Pace const& pace, std::uint64_t global_batch);

}  // namespace gleaner::profile

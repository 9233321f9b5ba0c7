// SPDX-License-Identifier: Apache-2.0
/// The least a policy must be better than.
#pragma once

#include "alloc/allocator.hh"

namespace gleaner::sim {

/// One trainer after the other gets its minimum, in order of arrival; what is
/// left goes to the trainer with most work left, up to its maximum, then the
/// next.  Knows neither speeds nor costs.  Trainers keep nodes they hold as far
/// as their number allows.
class Trivial final : public alloc::Allocator {
 public:
  Result<alloc::Decision> allocate(alloc::Problem const& problem,
                                   std::chrono::milliseconds limit) override;
};

}  // namespace gleaner::sim

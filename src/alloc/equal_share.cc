// SPDX-License-Identifier: Apache-2.0
/// Equal share: counts, then the common placement.
#include "alloc/equal_share.hh"

#include <algorithm>

#include "alloc/placement.hh"
#include "core/contract.hh"

namespace gleaner::alloc {

std::vector<int> share_counts(std::vector<Trainer> const& trainers, int left) {
  EXPECT(left >= 0, left);
  std::vector<int> counts(trainers.size(), 0);
  if (trainers.empty()) return counts;
  int const share = left / static_cast<int>(trainers.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (share > trainers[i].nodes_min)
      left -= counts[i] = std::min(share, trainers[i].nodes_max);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    int const more = std::min(trainers[i].nodes_max - counts[i], left);
    if (more <= 0 || counts[i] + more < trainers[i].nodes_min) continue;
    counts[i] += more;
    left -= more;
  }
  ENSURE(left >= 0, left);
  return counts;
}

Result<Decision> EqualShare::allocate(Problem const& problem,
                                      std::chrono::milliseconds) {
  auto const have = holdings(problem);
  int bound = 0;
  for (int n : have.bound) bound += n;
  return Decision{
      place(problem, have, share_counts(problem.trainers, have.pool + bound))};
}

}  // namespace gleaner::alloc

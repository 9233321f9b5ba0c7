// SPDX-License-Identifier: Apache-2.0
#include "profile/largest_share.hh"

#include <algorithm>

#include "core/contract.hh"

namespace gleaner::profile {
namespace {

/// A member that computes this much longer than the others is no chance any
/// more: it is slow, and other sizes may do without it.
constexpr double straggling = 1.08;
/// How much longer the slowest of alike members computes.
constexpr double slowest = 1.03;

/// The largest share over the mean of all shares, and over that of the others.
/// 0: the others have nothing.
struct Unevenness {
  double all = 1, others = 1;
};

Unevenness unevenness(std::uint64_t batch, int members) {
  if (batch == 0 || members < 2) return {};
  auto const m = static_cast<std::uint64_t>(members);
  auto const largest = (batch + m - 1) / m;
  auto const share = static_cast<double>(largest);
  return {share * members / static_cast<double>(batch),
          batch == largest
              ? 0
              : share * (members - 1) / static_cast<double>(batch - largest)};
}

/// What members but the slowest compute.
double others_s(Pace const& pace) {
  double const rest =
      pace.members * pace.compute_s - std::max(pace.compute_max_s, 0.0);
  return std::clamp(rest / (pace.members - 1), 0.0, pace.compute_s);
}

}  // namespace

LargestShare largest_share(Pace const& pace, std::uint64_t global_batch) {
  EXPECT(pace.members >= 1 && pace.compute_s > 0, pace.members, pace.compute_s);
  auto const uneven = unevenness(global_batch, pace.members);
  double const even_s = std::clamp(pace.compute_max_s, pace.compute_s,
                                   std::max(uneven.all, 1.0) * pace.compute_s);
  if (pace.members < 2) return {even_s, 0};
  double const usual_s = uneven.others * others_s(pace);
  if (usual_s <= 0 || pace.compute_max_s < straggling * usual_s)
    return {even_s, 0};
  return {usual_s, std::clamp(pace.compute_max_s - slowest * usual_s, 0.0,
                              0.9 * pace.step_s)};
}

}  // namespace gleaner::profile

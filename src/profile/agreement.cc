// SPDX-License-Identifier: Apache-2.0
/// What is measured against what was to be expected.
#include "profile/agreement.hh"

#include <algorithm>

#include "core/contract.hh"
#include "profile/advisor.hh"

namespace gleaner::profile {
namespace {

/// Other nodes, other neighbours, other data.
constexpr double slack = 1.1;

}  // namespace

bool agree(Learned const& known, Learned const& own, Traits const& traits) {
  if (known.sizes.empty() || own.sizes.empty()) return true;
  Advisor expectation;
  auto by_member = traits;
  by_member.members_per_node = 1;
  expectation.set_traits(by_member);
  expectation.set_prior(known);
  auto const advice = expectation.advise(own.sizes.back().members);
  double const batch =
      static_cast<double>(std::max<std::uint64_t>(1, traits.global_batch));
  return std::all_of(own.sizes.begin(), own.sizes.end(), [&](auto const& size) {
    auto const at = static_cast<std::size_t>(size.members);
    EXPECT(at < advice.low.size(), at, advice.low.size());
    double const samples_per_s = batch / size.step_s;
    return samples_per_s >= advice.low[at] / slack &&
           samples_per_s <= advice.high[at] * slack;
  });
}

}  // namespace gleaner::profile

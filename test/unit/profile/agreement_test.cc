// SPDX-License-Identifier: Apache-2.0
/// Whose knowledge a training is given, and whose not.
#include "profile/agreement.hh"

#include "test/unit/catch.hh"

namespace gleaner::profile {
namespace {

/// Steps of so many seconds on one, two and four members.
Learned learned(std::vector<std::pair<int, double>> const& steps_s) {
  Learned result;
  for (auto const& [members, step_s] : steps_s) {
    LearnedSize size;
    size.members = members;
    size.step_s = step_s;
    size.step_sd = 0.01;
    size.compute_s = 0.95 * step_s;
    size.exposed_s = 0.04 * step_s;
    result.sizes.push_back(size);
  }
  return result;
}

Traits traits() {
  Traits result;
  result.global_batch = 840;
  return result;
}

TEST_CASE("trainings agree whose steps take as long") {
  auto const known = learned({{1, 1.0}, {2, 0.52}, {4, 0.28}});
  CHECK(agree(known, learned({{2, 0.53}}), traits()));
  CHECK(agree(known, learned({{1, 1.03}, {4, 0.27}}), traits()));
  CHECK_FALSE(agree(known, learned({{2, 1.0}}), traits()));
  CHECK_FALSE(agree(known, learned({{1, 1.0}, {4, 0.6}}), traits()));
}

TEST_CASE("a size that the other never had is held against what it would be") {
  auto const known = learned({{1, 1.0}, {2, 0.52}});
  CHECK(agree(known, learned({{4, 0.28}}), traits()));
  CHECK_FALSE(agree(known, learned({{4, 1.0}}), traits()));
}

TEST_CASE("who has measured nothing contradicts nobody") {
  CHECK(agree({}, learned({{1, 1.0}}), traits()));
  CHECK(agree(learned({{1, 1.0}}), {}, traits()));
}

}  // namespace
}  // namespace gleaner::profile

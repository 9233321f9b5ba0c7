// SPDX-License-Identifier: Apache-2.0
/// How much may measuring on purpose cost?
#include "profile/profile_budget.hh"

#include "test/unit/catch.hh"

namespace gleaner::profile {
namespace {

TEST_CASE("a share of what is lent may be spent, and an hour's in advance") {
  ProfileBudget budget(0.005);
  CHECK(budget.allows("ada", 180, 10, 1));  // 10 nodes x 3600 s x 0.005
  CHECK_FALSE(budget.allows("ada", 181, 10, 1));
  budget.spend("ada", 180);
  CHECK_FALSE(budget.allows("ada", 1, 10, 1));
  budget.earn(10'000);
  CHECK(budget.allows("ada", 50, 10, 1));
  CHECK_FALSE(budget.allows("ada", 51, 10, 1));
}

TEST_CASE("each user may spend an equal part") {
  ProfileBudget budget(0.005);
  budget.spend("ada", 90);
  CHECK_FALSE(budget.allows("ada", 1, 10, 2));
  CHECK(budget.allows("ben", 90, 10, 2));
}

TEST_CASE("0 switches it off") {
  ProfileBudget budget(0);
  budget.earn(1e9);
  CHECK_FALSE(budget.allows("ada", 0, 10, 1));
}

}  // namespace
}  // namespace gleaner::profile

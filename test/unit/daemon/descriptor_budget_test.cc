// SPDX-License-Identifier: Apache-2.0
/// How many connections the descriptors of gleanerd are enough for.
#include "daemon/io/descriptor_budget.hh"

#include "test/unit/catch.hh"

namespace gleaner::daemon {
namespace {

TEST_CASE("clients never take the descriptors that calls to Slurm need") {
  CHECK(*links_within(1024) == 1024 - descriptors_reserved);
  CHECK(*links_within(1 << 20) == links_max);
  CHECK(*links_within(descriptors_reserved + 64) == 64);
  auto const none = links_within(256);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("LimitNOFILE") != std::string::npos);
}

}  // namespace
}  // namespace gleaner::daemon

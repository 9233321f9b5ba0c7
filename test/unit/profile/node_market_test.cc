// SPDX-License-Identifier: Apache-2.0
/// What do nodes cost that others have?
#include "profile/node_market.hh"

#include "test/unit/catch.hh"

namespace gleaner::profile {
namespace {

using Of = NodeMarket::Of;
using Sums = std::vector<double>;

NodeMarket::Holder holder(int nodes_min, int nodes, Sums speed, int user = 0) {
  return {nodes_min, nodes, std::move(speed), user};
}

TEST_CASE("the cheapest nodes of others come first, spare ones before them") {
  NodeMarket const market(
      {holder(1, 2, {0, 1, 2, 3}), holder(1, 3, {0, 1, 1.5, 1.75, 1.8})}, 1);
  CHECK(market.losses(0, Of::everybody) == Sums{0, 0, 0.25, 0.75});
  CHECK(market.losses(1, Of::everybody) == Sums{0, 0, 1});
}

TEST_CASE("nobody sells below its minimum") {
  NodeMarket const market({holder(1, 2, {0, 1, 2}), holder(3, 3, {0, 0, 0, 1})},
                          0);
  CHECK(market.losses(0, Of::everybody) == Sums{0});
}

TEST_CASE("who buys of one user pays no other one") {
  NodeMarket const market(
      {holder(1, 2, {0, 1, 2}, 1), holder(1, 2, {0, 1, 1.1}, 2),
       holder(1, 2, {0, 1, 1.5}, 1)},
      0);
  CHECK(market.losses(0, Of::user) == Sums{0, 0.5});
}

TEST_CASE("others make of more nodes what their curves say") {
  NodeMarket const market(
      {holder(1, 2, {0, 1, 2}), holder(1, 1, {0, 1, 1.75, 1.5}),
       holder(1, 2, {0, 1, 1.5, 1.75})},
      0);
  // A node that makes it slower is not used.
  CHECK(market.gains(0) == Sums{0, 0.75, 1, 1});
}

}  // namespace
}  // namespace gleaner::profile

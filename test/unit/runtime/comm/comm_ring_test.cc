// SPDX-License-Identifier: Apache-2.0
/// Who sends what to whom around a ring.
#include "runtime/comm/comm_ring.hh"

#include <vector>

#include "test/unit/catch.hh"

using namespace gleaner;

TEST_CASE("what a ring member receives is what its neighbour sends") {
  for (int size : {2, 3, 5})
    for (std::size_t n : {1, 4, 1000, 2000003}) {
      std::vector<RingPlan> members;
      for (int rank = 0; rank < size; ++rank)
        members.emplace_back(rank, size, n, 4);
      for (std::size_t i = 0; i < members[0].steps(); ++i)
        for (auto const& member : members) {
          auto const sent = members[member.left()].step(i).send;
          auto const received = member.step(i).receive;
          REQUIRE(sent.offset == received.offset);
          REQUIRE(sent.bytes == received.bytes);
          REQUIRE(received.bytes <= member.segment_bytes());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Which data planes there are, and whether all of them are tested.
#include "planes/plane_under_test.hh"
#include "test/unit/catch.hh"

namespace gleaner::comm {
using namespace test;

TEST_CASE("no plane is left out of these cases") {
  auto text = planes_available() + ",";
  for (std::size_t comma; (comma = text.find(',')) != std::string::npos;
       text.erase(0, comma + 1)) {
    auto const kind = text.substr(0, comma);
    bool found = false;
    for (auto const& plane : planes_under_test())
      found |= plane.name.rfind(kind, 0) == 0;
    INFO(kind);
    CHECK(found);
  }
}

TEST_CASE("an unknown plane is refused with what was built") {
  auto plane = make_plane("pigeon", {0, 2, "127.0.0.1"});
  REQUIRE(!plane);
  CHECK(plane.error().code == Errc::not_found);
  CHECK(plane.error().message.find(planes_available()) != std::string::npos);
}

}  // namespace gleaner::comm

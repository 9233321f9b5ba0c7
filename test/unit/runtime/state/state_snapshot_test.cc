// SPDX-License-Identifier: Apache-2.0
/// A copy of the state that is made while the training goes on.
#include "runtime/state/state_snapshot.hh"

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

using Parts = std::vector<std::vector<Span>>;

std::string text_of(std::vector<Span> const& spans) {
  std::string text;
  for (auto const& span : spans) text.append(span.data, span.bytes);
  return text;
}

}  // namespace

TEST_CASE("a snapshot holds its parts as they were, span by span") {
  std::string a = "weights", b = "moments";
  StateSnapshot snapshot(
      Parts{{{a.data(), 3}, {b.data(), b.size()}}, {}, {{a.data() + 3, 4}}});
  REQUIRE(snapshot.good());
  snapshot.provide();
  snapshot.copy();
  a = b = "changed";
  CHECK(text_of(snapshot.part(0)) == "weimoments");
  CHECK(text_of(snapshot.part(1)) == "");
  CHECK(text_of(snapshot.part(2)) == "ghts");
}

TEST_CASE("an update that waits for copy() finds all of it copied") {
  constexpr std::size_t n = 24 << 20;  // many pieces
  std::vector<unsigned> state(n / sizeof(unsigned));
  std::iota(state.begin(), state.end(), 0u);
  auto const before = state;
  StateSnapshot snapshot(Parts{{{reinterpret_cast<char*>(state.data()), n}}});
  std::thread aside([&] { snapshot.copy(); });
  snapshot.copy();
  std::fill(state.begin(), state.end(), 7u);  // the update
  aside.join();
  auto const text = text_of(snapshot.part(0));
  REQUIRE(text.size() == n);
  CHECK(std::memcmp(text.data(), before.data(), n) == 0);
}

TEST_CASE("after stop() nothing reads the state") {
  std::string state = "weights";
  StateSnapshot snapshot(Parts{{{state.data(), state.size()}}});
  snapshot.stop();
  snapshot.copy();
  CHECK(text_of(snapshot.part(0)) == std::string(state.size(), '\0'));
}

TEST_CASE("a snapshot of nothing is good") {
  StateSnapshot snapshot(Parts{{}});
  CHECK(snapshot.good());
  snapshot.copy();
  CHECK(snapshot.part(0).empty());
}

}  // namespace gleaner::state

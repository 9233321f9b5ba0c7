// SPDX-License-Identifier: Apache-2.0
/// When the agent of a node that is being left may exit.
#include "runtime/coordinator/departures.hh"

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

using Names = std::vector<std::string>;
using Release = Departures::Release;

/// n1 and n2 are asked back at 10, to be left by 11.
Departures asked(Release release) {
  Departures d;
  d.ask("n1", 11, release);
  d.ask("n2", 11, release);
  return d;
}

TEST_CASE("a node that need not be held ends as soon as it is empty") {
  auto d = asked(Release::at_once);
  CHECK(d.due(10) == Names{});
  d.set_out(10, "n1");
  CHECK(d.due(10) == Names{});
  d.set_empty("n1");
  CHECK(d.due(10) == Names{"n1"});
  CHECK(d.due(10) == Names{});
  CHECK(d.newly_vacated() == Names{});
}

TEST_CASE("a node that is held is told of once, and ends when released") {
  auto d = asked(Release::together);
  d.set_out(10, "n1");
  CHECK(d.newly_vacated() == Names{"n1"});
  CHECK(d.newly_vacated() == Names{});
  d.set_empty("n1");
  CHECK(d.due(10.9) == Names{});
  d.release("n1");
  CHECK(d.due(10.9) == Names{"n1"});
}

TEST_CASE("a released node waits for its members' processes to end") {
  auto d = asked(Release::together);
  d.set_out(10, "n1");
  d.release("n1");
  CHECK(d.due(10) == Names{});
  d.set_empty("n1");
  CHECK(d.due(10) == Names{"n1"});
}

TEST_CASE("a node released before its members are out ends when they are") {
  auto d = asked(Release::together);
  d.release("n1");
  CHECK(d.due(10) == Names{});
  d.set_out(10, "n1");
  d.set_empty("n1");
  CHECK(d.due(10) == Names{"n1"});
}

TEST_CASE("members that died are still in the training until it has switched") {
  auto d = asked(Release::together);
  d.release("n1");
  d.set_empty("n1");
  CHECK(d.due(10) == Names{});
  d.set_out(10, "n1");
  CHECK(d.due(10) == Names{"n1"});
}

TEST_CASE("at the deadline it ends, whether or not gleanerd is there") {
  auto d = asked(Release::together);
  d.set_out(10, "n1");
  d.set_empty("n1");
  CHECK(d.due(10.99) == Names{});
  CHECK(d.due(11) == Names{"n1"});
}

TEST_CASE("a vacated node does not wait long for a gleanerd that is gone") {
  Departures d;
  d.ask("n1", 40, Release::together);
  d.set_out(10, "n1");
  d.set_empty("n1");
  CHECK(d.due(14.9) == Names{});
  CHECK(d.due(15) == Names{"n1"});
}

TEST_CASE("asked for again, the earlier deadline holds") {
  Departures d;
  d.ask("n1", 40, Release::together);
  d.ask("n1", 11, Release::together);
  d.ask("n1", 50, Release::together);
  d.set_out(10, "n1");
  d.set_empty("n1");
  CHECK(d.due(11) == Names{"n1"});
}

TEST_CASE("a gleanerd that comes back is told of what waits for it") {
  auto d = asked(Release::together);
  CHECK(d.vacated() == Names{});
  d.set_out(10, "n1");
  d.newly_vacated();
  CHECK(d.vacated() == Names{"n1"});
  d.release("n1");
  CHECK(d.vacated() == Names{});
}

TEST_CASE("a lease that ended by itself is forgotten") {
  auto d = asked(Release::together);
  d.set_out(10, "n1");
  CHECK(d.is_out("n1"));
  CHECK(!d.is_out("n2"));
  d.forget("n1");
  CHECK(!d.is_out("n1"));
  CHECK(d.newly_vacated() == Names{});
  d.set_empty("n1");
  CHECK(d.due(99) == Names{});
}

TEST_CASE("what was never asked for does not end") {
  Departures d;
  d.set_out(10, "n1");
  d.set_empty("n1");
  d.release("n1");
  CHECK(d.due(99) == Names{});
}

}  // namespace
}  // namespace gleaner::coordinator

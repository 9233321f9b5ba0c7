// SPDX-License-Identifier: Apache-2.0
/// Who is let in next, and how many together.
#include "runtime/generation/admission.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// Members are started at 100 s; those that are ready wait 0.2 s for others,
/// and 30 s for others of their node.
struct Arrivals {
  void start(std::string const& node, MemberIds const& ids) {
    table.add(100, node, ids);
  }
  void load(MemberIds const& ids, double at) {
    for (auto const id : ids) table.set_phase(id, Phase::loaded, at);
  }
  MemberIds ready(double at) { return admission.ready(table, at); }

  MemberTable table;
  Admission admission{{0.2, 30}};
};

bool enough(MemberIds const&) { return true; }

}  // namespace

TEST_CASE("the first ready member waits a moment for those that load") {
  Arrivals a;
  a.start("n1", {1});
  a.start("n2", {2});
  a.load({1}, 110);
  CHECK(a.ready(110) == MemberIds{});
  CHECK(a.ready(110.1) == MemberIds{});
  SECTION("and no longer") { CHECK(a.ready(110.3) == MemberIds{1}); }
  SECTION("and is let in with them") {
    a.load({2}, 110.1);
    CHECK(a.ready(110.1) == MemberIds{1, 2});
  }
  SECTION("and again with the next ones, once it was let in") {
    CHECK(a.ready(110.3) == MemberIds{1});
    a.admission.end_wait();
    CHECK(a.ready(110.4) == MemberIds{});
  }
}

TEST_CASE("nobody waits when nobody loads") {
  Arrivals a;
  a.start("n1", {1});
  a.load({1}, 110);
  CHECK(a.ready(110) == MemberIds{1});
}

TEST_CASE("a node joins with all its members, unless one keeps the others") {
  Arrivals a;
  a.start("n1", {1, 2});
  a.load({1}, 110);
  CHECK(a.ready(120) == MemberIds{});
  CHECK(a.ready(139) == MemberIds{});
  CHECK(a.ready(140) == MemberIds{});  // it may still wait a moment
  CHECK(a.ready(140.3) == MemberIds{1});
}

TEST_CASE("members are let in by node") {
  Arrivals a;
  a.start("n2", {1, 4});
  a.start("n1", {2, 3});
  a.load({1, 2, 3, 4}, 110);
  CHECK(a.ready(110) == MemberIds{2, 3, 1, 4});
}

TEST_CASE("nobody on a node that is left is let in") {
  Arrivals a;
  a.start("n1", {1});
  a.start("n2", {2});
  a.load({1, 2}, 110);
  a.table.leave("n2", 150, "reclaim");
  CHECK(a.ready(110) == MemberIds{1});
}

TEST_CASE("half as many are let in together after two failures") {
  Admission admission({0.2, 30});
  MemberIds const six{1, 2, 3, 4, 5, 6};
  CHECK_FALSE(admission.will_try_fewer(six, enough));
  CHECK(admission.first_of(six) == six);
  CHECK(admission.will_try_fewer(six, enough));
  CHECK(admission.first_of(six) == MemberIds{1, 2, 3});
  CHECK(admission.will_try_fewer({1, 2, 3}, enough));
  CHECK(admission.first_of(six) == MemberIds{1});
  // Now it is known who keeps the others out.
  CHECK_FALSE(admission.will_try_fewer({1}, enough));
  SECTION("and all again when a generation came about") {
    admission.forget_failures();
    CHECK(admission.first_of(six) == six);
    CHECK_FALSE(admission.will_try_fewer(six, enough));
  }
}

TEST_CASE("no fewer are let in than the training needs") {
  Admission admission({0.2, 30});
  auto const three = [](MemberIds const& ids) { return ids.size() >= 3; };
  CHECK_FALSE(admission.will_try_fewer({1, 2, 3, 4}, three));
  CHECK_FALSE(admission.will_try_fewer({1, 2, 3, 4}, three));
  CHECK(admission.first_of({1, 2, 3, 4}) == MemberIds{1, 2, 3, 4});
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// With whom and from which step a training goes on after a loss.
#include "runtime/generation/recovery.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// Step `step`, planned for members 1 to 4.
msg::StepPlan plan_of(msg::Step step) { return {step, {1, 2, 3, 4}, {}}; }

/// Has all steps up to `complete`, and has begun the next.
msg::Status has(msg::Step complete) {
  return {5, true, complete, plan_of(complete + 1)};
}
/// The same, and waits at the boundary.
msg::Status waits_after(msg::Step complete) {
  return {5, true, complete, std::nullopt};
}
/// A joiner without proven state.
msg::Status is_new() { return {5, false, 0, std::nullopt}; }

/// Members 1, 2, ... answer this, at step 10 recorded; those in `leaving` are
/// to leave.
std::optional<generation::Resumption> after(
    std::vector<msg::Status> const& answers, MemberIds const& leaving = {}) {
  MemberIds asked, staying;
  for (msg::MemberId id = 1; id <= answers.size(); ++id) {
    asked.push_back(id);
    if (!generation::contains(leaving, id)) staying.push_back(id);
  }
  Recovery recovery(5, asked, 100);
  for (auto const id : asked) recovery.answered(id, answers[id - 1]);
  return recovery.resumption(10, staying);
}

}  // namespace

TEST_CASE("the training goes on from the furthest step") {
  auto const next = after({has(11), has(12), has(11)});
  REQUIRE(next);
  CHECK(next->members == MemberIds{1, 2, 3});
  CHECK(next->complete == 12);
  CHECK(next->donor == 2);
  CHECK(next->lacking == MemberIds{1, 3});
}

TEST_CASE("a step that is begun keeps its plan without the lost member") {
  auto const next = after({has(12), has(12), waits_after(12)});
  REQUIRE(next);
  REQUIRE(next->plan);
  CHECK(next->plan->step == 13);
  CHECK(next->plan->members == MemberIds{1, 2, 3, 4});
  CHECK(next->plan->gone == std::vector<MemberIds>{{4}});
}

TEST_CASE("a step that nobody has begun has no plan yet") {
  auto const next = after({waits_after(12), waits_after(12)});
  REQUIRE(next);
  CHECK_FALSE(next->plan);
}

TEST_CASE("only a member with proven state is a source") {
  auto const next = after({has(12), is_new(), has(12)});
  REQUIRE(next);
  CHECK(next->members == MemberIds{1, 3});
  CHECK(next->full == MemberIds{1, 3});
  CHECK_FALSE(after({is_new(), is_new()}));
}

TEST_CASE("no step that was shown outside is undone") {
  CHECK(after({has(10)}));
  CHECK_FALSE(after({has(9)}));
}

TEST_CASE("a member that cannot get to the last step is left out") {
  SECTION("it is two steps behind") {
    auto const next = after({has(12), has(10)});
    CHECK(next->members == MemberIds{1});
    CHECK(next->full == MemberIds{1, 2});
  }
  SECTION("it has not begun the step that it lacks") {
    CHECK(after({has(12), waits_after(11)})->members == MemberIds{1});
  }
}

TEST_CASE("leavers go with the loss, unless only they have the last step") {
  CHECK(after({has(12), has(12), has(11)}, {1})->members == MemberIds{2, 3});
  CHECK(after({has(12), has(11), has(11)}, {1})->members == MemberIds{1, 2, 3});
}

TEST_CASE("those lost meanwhile are not waited for, and answers stay true") {
  Recovery recovery(5, {1, 2, 3}, 100);
  recovery.answered(1, has(12));
  recovery.answered(3, has(12));
  CHECK_FALSE(recovery.all_have_answered());
  CHECK_FALSE(recovery.has_answered(2));
  recovery.keep({1});
  CHECK(recovery.all_have_answered());
  CHECK(recovery.asked() == MemberIds{1});
  CHECK(recovery.with_state() == MemberIds{1});
}

}  // namespace gleaner::generation

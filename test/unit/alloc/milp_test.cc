// SPDX-License-Identifier: Apache-2.0
/// That `exact` is the optimum of the published program, and `freetrain` that
/// of the published code, wherever CBC proves one.  GLEANER_SEED repeats a run;
/// GLEANER_MILP_CASES lengthens it.
#include "alloc/milp.hh"

#include "alloc/worth.hh"
#include "test/unit/alloc/cases.hh"
#include "test/unit/alloc/random_problems.hh"

namespace gleaner::alloc {
namespace {

constexpr std::chrono::milliseconds limit{10000};

/// How many of `cases` random problems CBC decided, all as `policy` does.
unsigned agreed(std::string_view policy, bool cap_change, unsigned cases) {
  RandomProblems problems("milp_test");
  INFO("GLEANER_SEED=" << problems.seed());
  unsigned proven = 0;
  for (unsigned i = 0; i < cases; ++i) {
    INFO("case " << i);
    auto const problem = problems.next(12, 4);
    auto const milp = solve_milp(problem, cap_change, limit);
    if (!milp || !milp->is_proven) continue;
    ++proven;
    CHECK(predicted_gain(problem, solve(policy, problem)) ==
          Approx(predicted_gain(problem, milp->plan)).epsilon(1e-6));
  }
  return proven;
}

TEST_CASE("exact is worth what the published program finds") {
  auto const cases = from_environment("GLEANER_MILP_CASES", 300);
  CHECK(agreed("exact", false, cases) > cases * 9 / 10);
}

TEST_CASE("freetrain is worth what the published code finds") {
  auto const cases = from_environment("GLEANER_MILP_CASES", 300);
  CHECK(agreed("freetrain", true, cases) > cases * 8 / 10);
}

TEST_CASE("the published M lets one trainer have half of ten nodes") {
  Problem const problem{nodes(10), {trainer("a", 1, 10)}};
  for (bool const cap_change : {true, false}) {
    auto const milp = solve_milp(problem, cap_change, limit);
    REQUIRE(milp);
    CHECK(milp->plan[0].size() == (cap_change ? 5 : 10));
  }
  CHECK(solve("freetrain", problem)[0].size() == 5);
}

TEST_CASE("a limit too short for any plan is reported") {
  std::vector<Trainer> trainers;
  for (int i = 0; i < 60; ++i)
    trainers.push_back(trainer(std::to_string(i), 3, 60));
  auto const milp =
      solve_milp({nodes(400), trainers}, false, std::chrono::milliseconds(1));
  REQUIRE(!milp);
  CHECK(milp.error().code == Errc::timed_out);
}

}  // namespace
}  // namespace gleaner::alloc

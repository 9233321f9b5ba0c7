// SPDX-License-Identifier: Apache-2.0
/// What every plan of every policy obeys, and that `exact` is optimal, on
/// random problems.  GLEANER_SEED repeats a run; GLEANER_CASES lengthens it.
#include <algorithm>
#include <set>

#include "alloc/worth.hh"
#include "test/unit/alloc/cases.hh"
#include "test/unit/alloc/random_problems.hh"

namespace gleaner::alloc {
namespace {

using Indices = std::set<NodeIndex>;

Indices held_by(Trainer const& t) { return {t.nodes.begin(), t.nodes.end()}; }

bool includes(Indices const& all, Indices const& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

bool is_short(Problem const& problem, NodeIndex node) {
  return problem.nodes[node].hole_s.value_or(1e9) < problem.hole_s_min;
}

/// What is kept comes first, in its old order.
bool keeps_order(Trainer const& t, std::vector<NodeIndex> const& got) {
  std::vector<NodeIndex> kept;
  for (auto const node : t.nodes)
    if (std::find(got.begin(), got.end(), node) != got.end())
      kept.push_back(node);
  return std::equal(kept.begin(), kept.end(), got.begin());
}

void check_plan(Problem const& problem, Plan const& plan, bool deals_anew) {
  Indices taken;
  REQUIRE(plan.size() == problem.trainers.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    auto const& t = problem.trainers[i];
    auto const held = held_by(t);
    auto const count = static_cast<int>(plan[i].size());
    CHECK((count == 0 || (count >= t.nodes_min && count <= t.nodes_max)));
    for (auto const node : plan[i]) {
      CHECK(taken.insert(node).second);
      REQUIRE(node < problem.nodes.size());
      CHECK((held.count(node) || !is_short(problem, node)));
    }
    // No swaps, unless it resizes anyway and the policy deals again: it keeps
    // all it has or gets nothing new.
    Indices const got(plan[i].begin(), plan[i].end());
    if (got.size() <= held.size()) CHECK(includes(held, got));
    if (!deals_anew) CHECK((includes(got, held) || includes(held, got)));
    CHECK(keeps_order(t, plan[i]));
  }
}

/// Those whose plans are checked in case i: CBC takes long, so seldom.
std::vector<std::string> policies(unsigned i) {
  std::vector<std::string> result{"gleaner", "exact", "freetrain",
                                  "equal_share"};
  if (i % 100 == 0 && make_allocator("milp")) result.push_back("milp");
  return result;
}

TEST_CASE("every policy obeys the invariants of a plan") {
  RandomProblems problems("plan_test");
  INFO("GLEANER_SEED=" << problems.seed());
  auto const cases = from_environment("GLEANER_CASES", 2000);
  for (unsigned i = 0; i < cases; ++i) {
    auto const problem = problems.next(24, 6);
    for (auto const& policy : policies(i)) {
      INFO("case " << i << " policy " << policy);
      auto const plan = solve(policy, problem);
      check_plan(problem, plan, false);
      CHECK(solve(policy, problem) == plan);
    }
  }
}

TEST_CASE("with swaps gleaner obeys them too") {
  RandomProblems problems("plan_test");
  INFO("GLEANER_SEED=" << problems.seed());
  AllocatorOptions options;
  options.extras.swaps = true;
  auto const allocator = make_allocator(options);
  REQUIRE(allocator);
  auto const cases = from_environment("GLEANER_CASES", 2000);
  for (unsigned i = 0; i < cases; ++i) {
    INFO("case " << i);
    auto const problem = problems.next(24, 6);
    auto const decision =
        (*allocator)->allocate(problem, std::chrono::milliseconds(1000));
    REQUIRE(decision);
    check_plan(problem, decision->plan, true);
  }
}

/// The largest gain over all ways to hand out the nodes, by trying them all.
class BruteForce {
 public:
  explicit BruteForce(Problem const& problem)
      : problem_(problem), plan_(problem.trainers.size()) {
    try_node(0);
  }
  double gain() const { return gain_; }

 private:
  void try_node(NodeIndex node) {
    if (node == problem_.nodes.size()) return weigh();
    try_node(node + 1);
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (is_short(problem_, node) &&
          !held_by(problem_.trainers[i]).count(node))
        continue;
      plan_[i].push_back(node);
      try_node(node + 1);
      plan_[i].pop_back();
    }
  }

  void weigh() {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      auto const& t = problem_.trainers[i];
      Indices const got(plan_[i].begin(), plan_[i].end());
      auto const held = held_by(t);
      auto const count = static_cast<int>(got.size());
      if (count != 0 && (count < t.nodes_min || count > t.nodes_max)) return;
      if (!includes(got, held) && !includes(held, got)) return;
    }
    gain_ = std::max(gain_, predicted_gain(problem_, plan_));
  }

  Problem const& problem_;
  Plan plan_;
  double gain_ = -1e300;
};

TEST_CASE("the exact policy finds what trying everything finds") {
  RandomProblems problems("plan_test");
  INFO("GLEANER_SEED=" << problems.seed());
  auto const cases = from_environment("GLEANER_CASES", 2000) / 10;
  for (unsigned i = 0; i < cases; ++i) {
    auto const problem = problems.next(6, 3);
    INFO("case " << i);
    CHECK(predicted_gain(problem, solve("exact", problem)) ==
          Approx(BruteForce(problem).gain()));
  }
}

}  // namespace
}  // namespace gleaner::alloc

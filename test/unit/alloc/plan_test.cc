// SPDX-License-Identifier: Apache-2.0
/// What every plan of every policy obeys, and that `exact` is optimal, on
/// random problems.  GLEANER_SEED repeats a run; GLEANER_CASES lengthens it.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>
#include <set>

#include "alloc/worth.hh"
#include "test/unit/alloc/cases.hh"
#include "test/unit/alloc/seed.hh"

namespace gleaner {
namespace {

class RandomProblems {
 public:
  RandomProblems() : seed_("plan_test"), random_(seed_.value()) {}

  unsigned seed() const { return seed_.value(); }

  Problem next(int nodes_most, int trainers_most) {
    Problem problem;
    problem.forward_looking_s = pick(1, 200);
    problem.hole_s_min = pick(0, 2) * 5;
    for (int n = pick(0, nodes_most); n > 0; --n) add_node(&problem, n);
    for (int i = pick(1, trainers_most); i > 0; --i) add_trainer(&problem, i);
    deal(&problem);
    return problem;
  }

 private:
  int pick(int least, int most) {
    return std::uniform_int_distribution<>(least, most)(random_);
  }

  void add_node(Problem* problem, int n) {
    Node node{"n" + std::to_string(n),
              {},
              static_cast<unsigned>(pick(1, 3)),
              static_cast<double>(pick(0, 3))};
    if (pick(0, 1)) node.hole_s = pick(0, 20);
    problem->nodes.push_back(node);
  }

  void add_trainer(Problem* problem, int i) {
    int const least = pick(1, 3);
    auto t = trainer("t" + std::to_string(i), least, least + pick(0, 4));
    for (std::size_t k = 1; k < t.speed.size(); ++k)
      t.speed[k] = pick(1, 40) / 4.0;
    t.expand_s = pick(0, 30);
    t.shrink_s = pick(0, 30);
    problem->trainers.push_back(std::move(t));
  }

  /// To each trainer, in any order; some may be below their minimum.
  void deal(Problem* problem) {
    std::vector<NodeIndex> order(problem->nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    for (auto const node : order) {
      auto const i = static_cast<std::size_t>(
          pick(0, static_cast<int>(problem->trainers.size()) * 2 - 1));
      if (i >= problem->trainers.size()) continue;
      auto& t = problem->trainers[i];
      if (static_cast<int>(t.nodes.size()) < t.nodes_max)
        t.nodes.push_back(node);
    }
  }

  Seed seed_;
  std::mt19937 random_;
};

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
    // No swaps, unless it resizes anyway and the policy deals anew: it keeps
    // all it has or gets nothing new.
    Indices const got(plan[i].begin(), plan[i].end());
    if (got.size() <= held.size()) CHECK(includes(held, got));
    if (!deals_anew) CHECK((includes(got, held) || includes(held, got)));
    CHECK(keeps_order(t, plan[i]));
  }
}

TEST_CASE("every policy obeys the invariants of a plan") {
  RandomProblems problems;
  INFO("GLEANER_SEED=" << problems.seed());
  auto const cases = from_environment("GLEANER_CASES", 2000);
  for (unsigned i = 0; i < cases; ++i) {
    auto const problem = problems.next(24, 6);
    for (auto policy : {"gleaner", "exact", "freetrain", "equal_share"}) {
      INFO("case " << i << " policy " << policy);
      auto const plan = solve(policy, problem);
      check_plan(problem, plan, policy == std::string("gleaner"));
      CHECK(solve(policy, problem) == plan);
    }
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
  RandomProblems problems;
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
}  // namespace gleaner

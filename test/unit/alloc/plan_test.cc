// SPDX-License-Identifier: Apache-2.0
/// What every plan of every policy obeys, and that `exact` is optimal, on
/// random problems.  GLEANER_SEED repeats a run; GLEANER_CASES lengthens it.
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

#include "alloc/exact.hh"
#include "test/unit/alloc/cases.hh"

namespace gleaner {
namespace {

unsigned from_environment(char const* name, unsigned fallback) {
  char const* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
              : fallback;
}

class RandomProblems {
 public:
  RandomProblems()
      : seed_(from_environment("GLEANER_SEED", std::random_device{}())) {
    std::cout << "plan_test: GLEANER_SEED=" << seed_ << '\n';
    random_.seed(seed_);
  }

  unsigned seed() const { return seed_; }

  Problem next(int nodes_most, int trainers_most) {
    Problem problem;
    problem.forward_looking_s = pick(1, 200);
    problem.hole_s_min = pick(0, 2) * 5;
    std::vector<std::string> gone;  // held by a trainer, but reclaimed
    for (int n = pick(0, nodes_most); n > 0; --n) add_node(&problem, n, &gone);
    for (int i = pick(1, trainers_most); i > 0; --i) add_trainer(&problem, i);
    deal(&problem, gone);
    return problem;
  }

 private:
  int pick(int least, int most) {
    return std::uniform_int_distribution<>(least, most)(random_);
  }

  void add_node(Problem* problem, int n, std::vector<std::string>* gone) {
    Node node{"n" + std::to_string(n), {}, static_cast<unsigned>(pick(1, 3))};
    if (pick(0, 1)) node.hole_s = pick(0, 20);
    if (pick(0, 9) == 0) return gone->push_back(node.name);
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

  void deal(Problem* problem, std::vector<std::string> const& gone) {
    auto const give = [&](std::string const& name) {
      auto const i = static_cast<std::size_t>(
          pick(0, static_cast<int>(problem->trainers.size()) * 2 - 1));
      if (i >= problem->trainers.size()) return;
      auto& t = problem->trainers[i];
      if (static_cast<int>(t.nodes.size()) < t.nodes_max) t.nodes.insert(name);
    };
    for (auto const& node : problem->nodes) give(node.name);
    for (auto const& name : gone) give(name);
  }

  unsigned seed_;
  std::mt19937 random_;
};

NodeSet present(Problem const& problem, Trainer const& t) {
  NodeSet held;
  for (auto const& node : problem.nodes)
    if (t.nodes.contains(node.name)) held.insert(node.name);
  return held;
}

bool includes(NodeSet const& all, NodeSet const& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

void check_plan(Problem const& problem, Plan const& plan) {
  std::set<std::string> taken;
  REQUIRE(plan.size() == problem.trainers.size());
  for (auto const& t : problem.trainers) {
    auto const& got = plan.at(t.id);
    auto const held = present(problem, t);
    auto const count = static_cast<int>(got.size());
    CHECK((count == 0 || (count >= t.nodes_min && count <= t.nodes_max)));
    for (auto const& name : got) {
      CHECK(taken.insert(name).second);
      auto const node =
          std::find_if(problem.nodes.begin(), problem.nodes.end(),
                       [&](Node const& n) { return n.name == name; });
      REQUIRE(node != problem.nodes.end());
      CHECK((held.contains(name) ||
             node->hole_s.value_or(1e9) >= problem.hole_s_min));
    }
    // No swaps: it keeps all it has or gets nothing new.
    CHECK((includes(got, held) || includes(held, got)));
    if (got.size() == held.size()) CHECK(got == held);
  }
}

TEST_CASE("every policy obeys the invariants of a plan") {
  RandomProblems problems;
  INFO("GLEANER_SEED=" << problems.seed());
  auto const cases = from_environment("GLEANER_CASES", 2000);
  for (unsigned i = 0; i < cases; ++i) {
    auto const problem = problems.next(24, 6);
    for (auto policy : {"exact", "equal_share"}) {
      INFO("case " << i << " policy " << policy);
      auto const plan = solve(policy, problem);
      check_plan(problem, plan);
      CHECK(solve(policy, problem) == plan);
    }
  }
}

/// The largest gain over all ways to hand out the nodes, by trying them all.
class BruteForce {
 public:
  explicit BruteForce(Problem const& problem) : problem_(problem) {
    for (auto const& t : problem.trainers) plan_[t.id] = {};
    try_node(0);
  }
  double gain() const { return gain_; }

 private:
  void try_node(std::size_t n) {
    if (n == problem_.nodes.size()) return weigh();
    auto const& node = problem_.nodes[n];
    try_node(n + 1);
    for (auto const& t : problem_.trainers) {
      bool const short_hole = node.hole_s.value_or(1e9) < problem_.hole_s_min;
      if (short_hole && !t.nodes.contains(node.name)) continue;
      plan_[t.id].insert(node.name);
      try_node(n + 1);
      plan_[t.id].erase(node.name);
    }
  }

  void weigh() {
    for (auto const& t : problem_.trainers) {
      auto const& got = plan_[t.id];
      auto const held = present(problem_, t);
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

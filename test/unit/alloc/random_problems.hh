// SPDX-License-Identifier: Apache-2.0
/// Random problems, small enough to be solved by other means too.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "test/unit/alloc/cases.hh"
#include "test/unit/alloc/seed.hh"

namespace gleaner::alloc {

class RandomProblems {
 public:
  explicit RandomProblems(char const* test)
      : seed_(test), random_(seed_.value()) {}

  unsigned seed() const { return seed_.value(); }

  Problem next(int nodes_most, int trainers_most) {
    Problem problem;
    problem.forward_looking_s = pick(random_, 1, 200);
    problem.hole_s_min = pick(random_, 0, 2) * 5;
    for (int n = pick(random_, 0, nodes_most); n > 0; --n)
      add_node(&problem, n);
    for (int i = pick(random_, 1, trainers_most); i > 0; --i)
      add_trainer(&problem, i);
    deal(&problem);
    return problem;
  }

 private:
  void add_node(Problem* problem, int n) {
    Node node{"n" + std::to_string(n),
              {},
              static_cast<unsigned>(pick(random_, 1, 3)),
              static_cast<double>(pick(random_, 0, 3))};
    if (pick(random_, 0, 1)) node.hole_s = pick(random_, 0, 20);
    problem->nodes.push_back(node);
  }

  void add_trainer(Problem* problem, int i) {
    int const least = pick(random_, 1, 3);
    auto t =
        trainer("t" + std::to_string(i), least, least + pick(random_, 0, 4));
    for (std::size_t k = 1; k < t.speed.size(); ++k)
      t.speed[k] = pick(random_, 1, 40) / 4.0;
    t.expand_s = pick(random_, 0, 30);
    t.shrink_s = pick(random_, 0, 30);
    problem->trainers.push_back(std::move(t));
  }

  /// To each trainer, in any order; some may be below their minimum.
  void deal(Problem* problem) {
    std::vector<NodeIndex> order(problem->nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    for (auto const node : order) {
      auto const i = static_cast<std::size_t>(
          pick(random_, 0, static_cast<int>(problem->trainers.size()) * 2 - 1));
      if (i >= problem->trainers.size()) continue;
      auto& t = problem->trainers[i];
      if (static_cast<int>(t.nodes.size()) < t.nodes_max)
        t.nodes.push_back(node);
    }
  }

  Seed seed_;
  std::mt19937 random_;
};

}  // namespace gleaner::alloc

// SPDX-License-Identifier: Apache-2.0
/// Kinds are dealt to nodes at random, and the bound by sets of kinds.
#include "test/bench/kind_problems.hh"

#include <algorithm>
#include <array>

#include "alloc/worth.hh"

namespace gleaner::bench {
namespace {

constexpr std::uint32_t kinds = 4;
constexpr std::array<double, kinds> shares{55, 25, 15, 5};

/// A set of kinds: bit k for kind k.
using KindSet = std::uint32_t;
constexpr KindSet all_kinds = (1U << kinds) - 1;

KindSet set_of(alloc::Trainer const& trainer) {
  KindSet set = 0;
  for (auto const kind : trainer.usable) set |= 1U << kind;
  return set;
}

KindSet draw(Usable const& usable, std::mt19937& random) {
  if (usable.pattern == Usable::Pattern::any)
    return std::uniform_int_distribution<KindSet>(1, all_kinds)(random);
  auto const first =
      std::uniform_int_distribution<std::uint32_t>(0, kinds - 1)(random);
  return all_kinds >> first << first;
}

/// As many nodes as each trainer had, of kinds it can use.
void deal_again(alloc::Problem* problem) {
  std::array<std::vector<alloc::NodeIndex>, kinds> free;
  for (alloc::NodeIndex n = 0; n < problem->nodes.size(); ++n)
    free[problem->nodes[n].kind].push_back(n);
  for (auto& trainer : problem->trainers) {
    auto const count = trainer.nodes.size();
    std::size_t there = 0;
    for (auto const kind : trainer.usable) there += free[kind].size();
    trainer.nodes.clear();
    if (there < static_cast<std::size_t>(trainer.nodes_min)) continue;
    for (auto const kind : trainer.usable)
      while (trainer.nodes.size() < count && !free[kind].empty()) {
        trainer.nodes.push_back(free[kind].back());
        free[kind].pop_back();
      }
  }
}

/// A piece of a concave hull.
struct Segment {
  double slope;
  double nodes;
  KindSet usable;
};

/// Of the counts a trainer may have: none, and nodes_min to nodes_max, where
/// there are so many it can use.
void add_hull(alloc::Trainer const& trainer, std::vector<double> const& worth,
              double nodes_usable, std::vector<Segment>* segments) {
  struct Point {
    double nodes, worth;
  };
  std::vector<Point> hull{{0, worth[0]}};
  auto const slope = [](Point const& a, Point const& b) {
    return (b.worth - a.worth) / (b.nodes - a.nodes);
  };
  int const most = std::min(trainer.nodes_max, static_cast<int>(nodes_usable));
  for (int k = trainer.nodes_min; k <= most; ++k) {
    Point const next{static_cast<double>(k),
                     worth[static_cast<std::size_t>(k)]};
    while (hull.size() > 1 && slope(hull[hull.size() - 2], hull.back()) <=
                                  slope(hull.back(), next))
      hull.pop_back();
    hull.push_back(next);
  }
  for (std::size_t i = 1; i < hull.size(); ++i)
    segments->push_back({slope(hull[i - 1], hull[i]),
                         hull[i].nodes - hull[i - 1].nodes, set_of(trainer)});
}

/// Nodes that are left for those who can use kinds of a set only, by set.
class Left {
 public:
  explicit Left(std::vector<alloc::Node> const& nodes) {
    for (auto const& node : nodes)
      for (KindSet set = 1; set <= all_kinds; ++set)
        if (set >> node.kind & 1) left_[set] += 1;
  }

  double of(KindSet usable) const { return left_[usable]; }

  double take(KindSet usable, double wanted) {
    for (KindSet set = 1; set <= all_kinds; ++set)
      if ((usable & ~set) == 0) wanted = std::min(wanted, left_[set]);
    for (KindSet set = 1; set <= all_kinds; ++set)
      if ((usable & ~set) == 0) left_[set] -= wanted;
    return wanted;
  }

 private:
  std::array<double, all_kinds + 1> left_{};
};

}  // namespace

std::vector<Usable> const& usable_patterns() {
  static std::vector<Usable> const all{
      {Usable::Pattern::nested, "nested", "a kind and all better ones"},
      {Usable::Pattern::any, "any set", "any set of kinds"},
  };
  return all;
}

alloc::Problem make_kind_problem(Family const& family, Usable const& usable,
                                 std::mt19937& random, int nodes,
                                 int trainers) {
  auto problem = make_problem(family, random, nodes, trainers);
  std::discrete_distribution<std::uint32_t> kind(shares.begin(), shares.end());
  for (auto& node : problem.nodes) node.kind = kind(random);
  for (auto& trainer : problem.trainers) {
    auto const set = draw(usable, random);
    for (std::uint32_t k = 0; k < kinds; ++k)
      if (set >> k & 1) trainer.usable.push_back(k);
  }
  deal_again(&problem);
  return problem;
}

double worth_of(alloc::Problem const& problem, alloc::Plan const& plan,
                alloc::Extras const& extras) {
  alloc::Worth const worth(problem, extras);
  double sum = alloc::predicted_gain(problem, plan, extras);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    auto const& held = problem.trainers[i].nodes;
    auto const kept = static_cast<std::size_t>(
        std::count_if(held.begin(), held.end(), [&](alloc::NodeIndex node) {
          return std::find(plan[i].begin(), plan[i].end(), node) !=
                 plan[i].end();
        }));
    if (kept < std::min(held.size(), plan[i].size()))
      sum -= worth.swap_cost(problem.trainers[i]);
  }
  return sum;
}

double worth_at_most(alloc::Problem const& problem,
                     alloc::Extras const& extras) {
  alloc::Worth const worth(problem, extras);
  std::vector<Segment> segments;
  Left left(problem.nodes);
  double sum = 0;
  for (auto const& trainer : problem.trainers) {
    std::vector<double> list(static_cast<std::size_t>(trainer.nodes_max) + 1);
    worth.list(trainer, trainer.nodes_max, list.data());
    sum += list[0];
    add_hull(trainer, list, left.of(set_of(trainer)), &segments);
  }
  std::stable_sort(segments.begin(), segments.end(),
                   [](auto& a, auto& b) { return a.slope > b.slope; });
  for (auto const& segment : segments) {
    if (segment.slope <= 0) break;
    sum += segment.slope * left.take(segment.usable, segment.nodes);
  }
  return sum;
}

}  // namespace gleaner::bench

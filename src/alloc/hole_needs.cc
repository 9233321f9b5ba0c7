// SPDX-License-Identifier: Apache-2.0
/// From costs to seconds, and from seconds to kinds of nodes.
#include "alloc/hole_needs.hh"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace gleaner {
namespace {

/// The largest power of √2 that is no more: what is rounded never bars a hole
/// that would have been long enough.
double rounded_down(double seconds) {
  if (!(seconds > 0)) return 0;
  return std::exp2(std::floor(2 * std::log2(seconds)) / 2);
}

/// Which trainers a hole is long enough for.
class Needs {
 public:
  explicit Needs(Problem const& problem) {
    for (auto const& trainer : problem.trainers)
      of_.push_back(rounded_down(hole_s_needed(trainer)));
    steps_ = of_;
    std::sort(steps_.begin(), steps_.end());
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
  }

  /// How many different needs this hole meets.
  std::size_t met_by(Node const& node) const {
    if (!node.hole_s) return steps_.size();
    return static_cast<std::size_t>(
        std::upper_bound(steps_.begin(), steps_.end(), *node.hole_s) -
        steps_.begin());
  }
  std::size_t all() const { return steps_.size(); }
  bool is_met(std::size_t trainer, std::size_t met) const {
    return met > 0 && of_[trainer] <= steps_[met - 1];
  }

 private:
  std::vector<double> of_;     ///< each trainer's
  std::vector<double> steps_;  ///< ascending, each once
};

bool can_use(Trainer const& trainer, std::uint32_t kind) {
  return trainer.usable.empty() ||
         std::binary_search(trainer.usable.begin(), trainer.usable.end(), kind);
}

class HeedingShortHoles final : public Allocator {
 public:
  explicit HeedingShortHoles(std::unique_ptr<Allocator> policy)
      : policy_(std::move(policy)) {}
  Result<Decision> allocate(Problem const& problem,
                            std::chrono::milliseconds limit) override {
    Needs const needs(problem);
    auto const serves_all = [&](Node const& node) {
      return needs.met_by(node) == needs.all();
    };
    if (std::all_of(problem.nodes.begin(), problem.nodes.end(), serves_all))
      return policy_->allocate(problem, limit);
    return policy_->allocate(without_short_holes(problem), limit);
  }

 private:
  std::unique_ptr<Allocator> policy_;
};

}  // namespace

double hole_s_needed(Trainer const& trainer) {
  if (trainer.nodes.empty()) return trainer.start_s + trainer.shrink_s;
  auto const now = std::min(trainer.nodes.size(), trainer.speed.size() - 1);
  double const speed = trainer.speed[now];
  double best = speed;
  for (auto k = now + 1; k < trainer.speed.size(); ++k)
    best = std::max(best, trainer.speed[k]);
  if (best <= speed) return 0;
  return (trainer.expand_s + trainer.shrink_s) * speed / (best - speed);
}

Problem without_short_holes(Problem const& problem) {
  Needs const needs(problem);
  // (kind, needs met) -> the new kind
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> kinds;
  for (auto const& node : problem.nodes)
    kinds.emplace(std::pair(node.kind, needs.met_by(node)), 0);
  bool const any_short = std::any_of(
      kinds.begin(), kinds.end(),
      [&](auto const& entry) { return entry.first.second < needs.all(); });
  if (!any_short) return problem;
  std::uint32_t next = 0;
  for (auto& [old, kind] : kinds) kind = next++;
  auto result = problem;
  for (auto& node : result.nodes)
    node.kind = kinds.at({node.kind, needs.met_by(node)});
  for (std::size_t i = 0; i < result.trainers.size(); ++i) {
    auto& usable = result.trainers[i].usable;
    std::vector<std::uint32_t> now;
    for (auto const& [old, kind] : kinds)
      if (can_use(problem.trainers[i], old.first) &&
          needs.is_met(i, old.second))
        now.push_back(kind);
    // "All" is written as none; a kind that no node has is not.
    if (now.empty()) now.push_back(next);
    usable = std::move(now);
  }
  return result;
}

std::unique_ptr<Allocator> heeding_short_holes(
    std::unique_ptr<Allocator> policy) {
  return std::make_unique<HeedingShortHoles>(std::move(policy));
}

}  // namespace gleaner

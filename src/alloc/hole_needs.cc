// SPDX-License-Identifier: Apache-2.0
/// From costs to seconds, and from seconds to kinds of nodes.
#include "alloc/hole_needs.hh"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace gleaner::alloc {
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

/// A node's kind, and how many different needs its hole meets.
using KindAndNeeds = std::pair<std::uint32_t, std::size_t>;

/// For each trainer whether it can use such nodes.
std::vector<bool> served_by(Problem const& problem, Needs const& needs,
                            KindAndNeeds const& of) {
  std::vector<bool> served;
  for (std::size_t i = 0; i < problem.trainers.size(); ++i)
    served.push_back(can_use(problem.trainers[i], of.first) &&
                     needs.is_met(i, of.second));
  return served;
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
  std::map<KindAndNeeds, std::uint32_t> kinds;
  for (auto const& node : problem.nodes)
    kinds.emplace(KindAndNeeds(node.kind, needs.met_by(node)), 0);
  bool const any_short = std::any_of(
      kinds.begin(), kinds.end(),
      [&](auto const& entry) { return entry.first.second < needs.all(); });
  if (!any_short) return problem;
  // Nodes that serve the same trainers are of one kind, whatever they were:
  // more kinds than needed only make plans worse.
  std::map<std::vector<bool>, std::uint32_t> serving;
  for (auto const& [old, kind] : kinds)
    serving.emplace(served_by(problem, needs, old), 0);
  std::uint32_t next = 0;
  for (auto& [served, kind] : serving) kind = next++;
  for (auto& [old, kind] : kinds)
    kind = serving.at(served_by(problem, needs, old));
  auto result = problem;
  for (auto& node : result.nodes)
    node.kind = kinds.at({node.kind, needs.met_by(node)});
  for (std::size_t i = 0; i < result.trainers.size(); ++i) {
    auto& usable = result.trainers[i].usable;
    usable.clear();
    for (auto const& [served, kind] : serving)
      if (served[i]) usable.push_back(kind);
    // "All" is written as none; a kind that no node has is not.
    if (usable.empty()) usable.push_back(next);
  }
  return result;
}

std::unique_ptr<Allocator> heeding_short_holes(
    std::unique_ptr<Allocator> policy) {
  return std::make_unique<HeedingShortHoles>(std::move(policy));
}

}  // namespace gleaner::alloc

// SPDX-License-Identifier: Apache-2.0
/// Dijkstra's algorithm over the units added, from the goal backwards.
#include <algorithm>
#include <limits>

#include "alloc/repair.hh"

namespace gleaner::alloc {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Longer paths hardly ever find enough classes, and cost time.
constexpr std::size_t path_max = 32;

/// to[i] = min(to[i], from + step[i]); apart so that it is vectorised.
void relax_all(double* to, double const* step, int count, double from) {
  for (int i = 0; i < count; ++i) to[i] = std::min(to[i], from + step[i]);
}

}  // namespace

Unbounded::Unbounded(std::vector<MovableClass> const& classes, Goal const& goal,
                     Work* work)
    : gap_(goal.gap), price_(goal.price), left_(goal.left) {
  for (auto const& movable : classes)
    for (auto const& move : movable.moves) {
      up_ = std::max(up_, move.units);
      down_ = std::max(down_, -move.units);
    }
  move_.assign(static_cast<std::size_t>(up_ + down_ + 1), infinite);
  for (auto const& movable : classes)
    for (auto const& move : movable.moves) {
      auto& loss = move_[static_cast<std::size_t>(up_ - move.units)];
      loss = std::min(loss, move.loss);
    }
  low_ = std::min(0, left_ - down_);
  high_ = left_ + up_;
  loss_.assign(static_cast<std::size_t>(high_ - low_ + 1), infinite);
  settled_.assign(loss_.size(), 0);
  for (int units = low_; units <= left_; ++units)
    loss(units) = price_ * (left_ - units);
  // A look for the next one, and what follows from it.
  auto const round = 2 * static_cast<double>(loss_.size());
  for (int count = 1;; ++count) {
    double least = gap_;
    int next = -1;
    for (std::size_t i = 0; i < loss_.size(); ++i)
      if (loss_[i] < least && settled_[i] == 0)
        least = loss_[i], next = static_cast<int>(i);
    if (next < 0) return;
    if (!work->take(round)) {
      // What is not settled is no nearer than the next.
      is_complete_ = false;
      if (settled_[static_cast<std::size_t>(-low_)] == 0)
        loss(0) = std::min(loss(0), least);
      return;
    }
    settled_[static_cast<std::size_t>(next)] = count;
    settle(low_ + next);
  }
}

/// All that reach `units` by one move: units − up … units + down.
void Unbounded::settle(int units) {
  int const from = std::max(low_, units - up_);
  int const to = std::min(high_, units + down_);
  relax_all(&loss(from), &move_[static_cast<std::size_t>(from - (units - up_))],
            to - from + 1, loss(units));
}

double Unbounded::loss_from(int units) const {
  if (units < low_ || units > high_) return 0;
  return std::min(gap_, loss_[static_cast<std::size_t>(units - low_)]);
}

std::vector<int> Unbounded::shortest_path() const {
  std::vector<int> path;
  auto const at = [&](int units) {
    return static_cast<std::size_t>(units - low_);
  };
  for (int units = 0;;) {
    double const loss = loss_[at(units)];
    if (units <= left_ && loss == price_ * (left_ - units)) return path;
    // Only towards what was settled earlier: free moves may form circles.
    int step = -down_;
    for (;; ++step) {
      int const to = units + step;
      if (to < low_ || to > high_ || settled_[at(to)] == 0 ||
          settled_[at(to)] >= settled_[at(units)])
        continue;
      if (loss_[at(to)] + move_[static_cast<std::size_t>(up_ - step)] == loss)
        break;
    }
    path.push_back(step);
    units += step;
  }
}

std::optional<Repair> Unbounded::path(
    std::vector<MovableClass> const& classes) const {
  auto const steps = shortest_path();
  if (steps.size() > path_max) return std::nullopt;
  Repair repair;
  std::vector<char> is_used(classes.size(), 0);
  int units = 0;
  for (int const step : steps) {
    std::size_t best = classes.size();
    double least = infinite;
    for (std::size_t j = 0; j < classes.size(); ++j)
      for (auto const& move : classes[j].moves)
        if (move.units == step && move.loss < least && !is_used[j])
          best = j, least = move.loss;
    if (best == classes.size()) return std::nullopt;
    is_used[best] = 1;
    units += step;
    repair.loss += least;
    repair.steps.push_back({classes[best].index, step});
  }
  repair.loss += price_ * (left_ - units);
  return repair;
}

}  // namespace gleaner::alloc

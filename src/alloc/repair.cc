// SPDX-License-Identifier: Apache-2.0
/// Dynamic programming over the few classes that matter.
#include "alloc/repair.hh"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The least that a move of the class loses for each unit it changes.
double loss_per_unit(MovableClass const& movable) {
  double least = infinite;
  for (auto const& move : movable.moves)
    least = std::min(least, move.loss / std::abs(move.units));
  return least;
}

/// Moves that no set of moves better than `gap` contains are struck.
void strike(std::vector<MovableClass>* classes, Unbounded const& bound,
            double gap) {
  for (auto& movable : *classes)
    std::erase_if(movable.moves, [&](Move const& move) {
      return move.loss + bound.loss_from(move.units) >= gap;
    });
  std::erase_if(*classes, [](auto const& c) { return c.moves.empty(); });
}

/// How many classes a best set of moves can move at most: so many that the
/// cheapest moves of as many lose no more than the gap; and no more than there
/// are sums between goal and greatest move, as moves that bring a sum back to
/// where it was can be left out.
std::size_t moved_at_most(std::vector<MovableClass> const& classes,
                          Goal const& goal) {
  std::vector<double> least;
  int up = 0, down = 0;
  for (auto const& movable : classes) {
    least.push_back(infinite);
    for (auto const& move : movable.moves)
      least.back() = std::min(least.back(), move.loss);
    up = std::max(up, movable.moves.back().units);
    down = std::max(down, -movable.moves.front().units);
  }
  std::sort(least.begin(), least.end());
  auto const sums = static_cast<std::size_t>(goal.left + up + down);
  std::size_t count = 0;
  for (double sum = 0; count < std::min(sums, least.size()); ++count)
    if ((sum += least[count]) >= goal.gap) break;
  return count;
}

/// Moves of as many units are made by the classes that lose least by them: a
/// class that is moved while a cheaper one stays could leave it the move.  So
/// of each kind no more are needed than classes can be moved.
void strike_dear(std::vector<MovableClass>* classes, Goal const& goal) {
  auto const enough = moved_at_most(*classes, goal);
  std::map<int, std::vector<std::pair<double, std::size_t>>> kinds;
  for (auto const& movable : *classes)
    for (auto const& move : movable.moves)
      kinds[move.units].emplace_back(move.loss, movable.index);
  std::map<int, std::pair<double, std::size_t>> dear;  // the first not needed
  for (auto& [units, kind] : kinds) {
    if (kind.size() <= enough) continue;
    auto const first = kind.begin() + static_cast<std::ptrdiff_t>(enough);
    std::nth_element(kind.begin(), first, kind.end());
    dear.emplace(units, *first);
  }
  for (auto& movable : *classes)
    std::erase_if(movable.moves, [&](Move const& move) {
      auto const limit = dear.find(move.units);
      return limit != dear.end() &&
             std::pair(move.loss, movable.index) >= limit->second;
    });
  std::erase_if(*classes, [](auto const& c) { return c.moves.empty(); });
}

/// The least loss for every number of units added, after some classes.
struct Row {
  int low = 0;
  std::vector<double> loss;
  int high() const { return low + static_cast<int>(loss.size()) - 1; }
  double at(int units) const {
    return units < low || units > high()
               ? infinite
               : loss[static_cast<std::size_t>(units - low)];
  }
};

void take_move(Row const& before, Move const& move, Row* after) {
  double const* from = before.loss.data();
  double* to = after->loss.data() + (before.low + move.units - after->low);
  double const loss = move.loss;
  auto const count = before.loss.size();
  for (std::size_t i = 0; i < count; ++i)
    to[i] = std::min(to[i], from[i] + loss);
}

class Search {
 public:
  Search(std::vector<MovableClass> classes, Unbounded const& bound,
         Goal const& goal)
      : classes_(std::move(classes)),
        bound_(bound),
        left_(goal.left),
        price_(goal.price),
        gap_(goal.gap),
        tolerance_(goal.tolerance) {
    strike(&classes_, bound, gap_);
    strike_dear(&classes_, goal);
    // What can still be moved cheaply decides how far off the goal a row may
    // be, so the cheapest go first.
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t j = 0; j < classes_.size(); ++j)
      order.emplace_back(loss_per_unit(classes_[j]), j);
    std::sort(order.begin(), order.end());
    std::vector<MovableClass> sorted;
    for (auto const& [loss, j] : order) {
      per_unit_.push_back(loss);
      sorted.push_back(std::move(classes_[j]));
    }
    per_unit_.push_back(infinite);
    classes_ = std::move(sorted);
    reach_.assign(classes_.size() + 1, {0, 0});
    for (std::size_t j = classes_.size(); j-- > 0;) {
      reach_[j].first =
          reach_[j + 1].first - std::max(0, -classes_[j].moves.front().units);
      reach_[j].second =
          reach_[j + 1].second + std::max(0, classes_[j].moves.back().units);
    }
  }

  Found run(Effort most) {
    Found found;
    rows_.push_back({0, {0.0}});
    finish(0);
    Effort effort;
    for (std::size_t j = 0; j < classes_.size(); ++j) {
      if (gap_ - bound_.loss_from(0) <= tolerance_ || rows_.back().loss.empty())
        break;
      auto const states = static_cast<double>(rows_.back().loss.size());
      effort.states += states;
      effort.steps +=
          states * static_cast<double>(classes_[j].moves.size() + 2);
      if (effort.steps > most.steps || effort.states > most.states) {
        found.is_complete = false;
        break;
      }
      found.steps = effort.steps;
      rows_.push_back(next_row(rows_.back(), classes_[j]));
      finish(j + 1);
      trim(j + 1);
    }
    if (best_.row != 0) found.repair = trace_back();
    return found;
  }

 private:
  Row next_row(Row const& before, MovableClass const& movable) {
    Row after;
    after.low = before.low + std::min(0, movable.moves.front().units);
    int const high = before.high() + std::max(0, movable.moves.back().units);
    after.loss.assign(static_cast<std::size_t>(high - after.low + 1), infinite);
    std::copy(before.loss.begin(), before.loss.end(),
              after.loss.begin() + (before.low - after.low));
    for (auto const& move : movable.moves) take_move(before, move, &after);
    return after;
  }

  /// Is any of the new states a solution, if the other classes stay?
  void finish(std::size_t row) {
    auto const& r = rows_[row];
    for (int units = r.low; units <= std::min(left_, r.high()); ++units) {
      double const loss = r.at(units) + price_ * (left_ - units);
      if (loss >= gap_) continue;
      gap_ = loss;
      best_ = {row, units, r.at(units)};
    }
  }

  /// Drop states at both ends from which nothing better can come.
  void trim(std::size_t row) {
    auto& r = rows_[row];
    auto const hopeless = [&](int units) {
      int const missing = left_ - units;
      double const per_unit =
          missing > 0 ? std::min(price_, per_unit_[row]) : per_unit_[row];
      double ahead = missing == 0 ? 0 : std::abs(missing) * per_unit;
      if (units + reach_[row].first > left_) return true;
      int const short_of = left_ - (units + reach_[row].second);
      if (short_of > 0) ahead = std::max(ahead, price_ * short_of);
      ahead = std::max(ahead, bound_.loss_from(units));
      return r.at(units) + ahead >= gap_;
    };
    int low = r.low, high = r.high();
    while (low <= high && hopeless(low)) ++low;
    while (high >= low && hopeless(high)) --high;
    r.loss.erase(r.loss.begin() + (high + 1 - r.low), r.loss.end());
    r.loss.erase(r.loss.begin(), r.loss.begin() + (low - r.low));
    r.low = low;
  }

  Repair trace_back() const {
    Repair repair{gap_, {}};
    int units = best_.units;
    double loss = best_.loss;
    for (auto row = best_.row; row-- > 0;) {
      if (rows_[row].at(units) == loss) continue;
      auto const& movable = classes_[row];
      // The same sums as in take_move(), so that the comparison is exact.
      auto const move = std::find_if(
          movable.moves.begin(), movable.moves.end(), [&](Move const& m) {
            return rows_[row].at(units - m.units) + m.loss == loss;
          });
      ENSURE(move != movable.moves.end(), row, units, loss);
      repair.steps.push_back({movable.index, move->units});
      units -= move->units;
      loss = rows_[row].at(units);
    }
    return repair;
  }

  struct Best {
    std::size_t row = 0;
    int units = 0;
    double loss = 0;
  };

  std::vector<MovableClass> classes_;
  Unbounded const& bound_;
  int left_;
  double price_, gap_, tolerance_;
  std::vector<double> per_unit_;
  std::vector<std::pair<int, int>> reach_;
  std::vector<Row> rows_;
  Best best_;
};

}  // namespace

Found best_repair(std::vector<MovableClass> classes, Unbounded const& bound,
                  Goal const& goal, Effort most) {
  EXPECT(goal.left >= 0 && goal.gap >= 0, goal.left, goal.gap);
  return Search(std::move(classes), bound, goal).run(most);
}

}  // namespace gleaner::alloc

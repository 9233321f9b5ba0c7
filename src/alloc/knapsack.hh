// SPDX-License-Identifier: Apache-2.0
/// The most worth that a limited number of like nodes can give.
///
/// The multiple-choice knapsack problem: of each class (a trainer) one option
/// (a number of nodes) is chosen; together they fit the capacity.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "alloc/work.hh"

namespace gleaner::alloc {

/// What an option that does not exist is worth.
inline constexpr double not_an_option =
    -std::numeric_limits<double>::infinity();

/// Classes of options.  Option c of a class uses c of the capacity.  Option 0
/// always exists; others may be not_an_option.
class Knapsack {
 public:
  explicit Knapsack(int capacity) : capacity_(capacity) {}

  void reserve(std::size_t classes, std::size_t options);

  /// No class is left.
  void clear();

  /// Add a class of `options` options, to be filled in at once: the worth of
  /// options 0, 1, …; none may use more than the capacity.
  double* add_class(int options);

  int capacity() const { return capacity_; }
  std::size_t classes() const { return begin_.size(); }
  double const* worth(std::size_t j) const { return worth_.data() + begin_[j]; }
  int options(std::size_t j) const {
    auto const end = j + 1 < begin_.size() ? begin_[j + 1] : worth_.size();
    return static_cast<int>(end - begin_[j]);
  }
  std::size_t options() const { return worth_.size(); }

 private:
  int capacity_;
  std::vector<double> worth_;
  std::vector<std::size_t> begin_;
};

/// A choice, and how good it is at least.
struct Choice {
  std::vector<int> options;  ///< of each class
  double value = 0;          ///< what they are worth together
  double bound = 0;          ///< no choice is worth more
  double steps = 0;          ///< that were made to find it (work.hh)
};

/// A choice of the largest worth, as far as `steps_max` steps find it: then
/// value and bound are the same.  Else the best that was found, and a bound on
/// what would be better.  Among choices that differ by rounding errors any;
/// always the same for the same knapsack.
///
/// Making and looking at the hulls is not counted: it grows with the number of
/// options, and without it there is no choice.  What is counted is the search
/// for what is better than the relaxed choice, which is short as long as it is
/// enough to look closely at the few classes near the limit.  Memory: at most
/// 40 bytes an option, and for dynamic programming 8 bytes for each class and
/// unit of capacity (80 MB for 1,000 classes and 10,000 nodes).
Choice choose(Knapsack const& knapsack, double steps_max = unlimited_steps);

/// The same where the relaxed problem is solved already.
struct Relaxation;
Choice choose(Knapsack const& knapsack, Relaxation const& relaxed,
              double steps_max);

/// The same by dynamic programming over everything: simple and slow.
std::vector<int> choose_dense(Knapsack const& knapsack);

double worth_of(Knapsack const& knapsack, std::vector<int> const& choice);

}  // namespace gleaner::alloc

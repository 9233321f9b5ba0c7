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

/// The worth of an option that does not exist.
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

  /// Adds a class of `options` options.  The caller fills in the worth of
  /// options 0, 1, … at once; no option may use more than the capacity.
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

/// A choice of the largest worth, if `steps_max` steps are enough to find it:
/// then value and bound are the same.  Else the best choice that was found, and
/// a bound that no choice exceeds.  Choices that differ by rounding errors
/// count as equal; the same knapsack always gets the same choice.
///
/// Work on the hulls is not counted: it grows with the number of options, and
/// without it there is no choice.  Steps of the search for something better
/// than the relaxed choice are counted.  The search is short if only the few
/// classes near the limit need a close look.  Memory: at most 40 bytes an
/// option, and for dynamic programming 8 bytes for each class and unit of
/// capacity (80 MB for 1,000 classes and 10,000 nodes).
Choice choose(Knapsack const& knapsack, double steps_max = unlimited_steps);

/// The same, for a relaxed problem that is already solved.
struct Relaxation;
Choice choose(Knapsack const& knapsack, Relaxation const& relaxed,
              double steps_max);

/// The same by dynamic programming over all classes: simple and slow.
std::vector<int> choose_dense(Knapsack const& knapsack);

double worth_of(Knapsack const& knapsack, std::vector<int> const& choice);

}  // namespace gleaner::alloc

// SPDX-License-Identifier: Apache-2.0
/// The most worth that a limited number of like nodes can give.
///
/// The multiple-choice knapsack problem: of each class (a trainer) one option
/// (a number of nodes) is chosen; together they fit the capacity.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace gleaner {

/// What an option that does not exist is worth.
inline constexpr double not_an_option =
    -std::numeric_limits<double>::infinity();

/// Classes of options.  Option c of a class uses c of the capacity.  Option 0
/// always exists; others may be not_an_option.
class Knapsack {
 public:
  explicit Knapsack(int capacity) : capacity_(capacity) {}

  void reserve(std::size_t classes, std::size_t options);

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

/// The option of each class in a choice of the largest worth.  Among choices
/// that differ by rounding errors any; always the same for the same knapsack.
///
/// Time grows with the number of options, as long as it is enough to look
/// closely at the few classes near the limit.  Memory: at most 40 bytes an
/// option, and for dynamic programming 8 bytes for each class and unit of
/// capacity (80 MB for 1,000 classes and 10,000 nodes).
std::vector<int> choose(Knapsack const& knapsack);

/// The same by dynamic programming over everything: simple and slow.
std::vector<int> choose_dense(Knapsack const& knapsack);

double worth_of(Knapsack const& knapsack, std::vector<int> const& choice);

}  // namespace gleaner

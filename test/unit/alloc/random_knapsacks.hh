// SPDX-License-Identifier: Apache-2.0
/// Random knapsacks of named shapes, for the tests and the benchmark.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "alloc/knapsack.hh"

namespace gleaner::alloc {

/// What the options of a class are worth.
using Options = std::vector<double>;

/// Adds the options 1, 2, … of one class; `most` is the greatest allowed.
using AddOptions = std::function<void(std::mt19937&, Options*, int most)>;

struct KnapsackShape {
  std::string name;
  AddOptions add;
  bool are_alike = false;  ///< all classes have the same options

  Knapsack make(std::mt19937& random, int capacity, int classes) const {
    Knapsack knapsack(capacity);
    auto const seed = random();
    std::mt19937 same(seed);
    for (int j = 0; j < classes; ++j) {
      if (are_alike) same.seed(seed);
      Options options{0};
      add(are_alike ? same : random, &options, capacity);
      std::copy(options.begin(), options.end(),
                knapsack.add_class(static_cast<int>(options.size())));
    }
    return knapsack;
  }
};

namespace shapes {

inline double real(std::mt19937& random, double least, double most) {
  return std::uniform_real_distribution<>(least, most)(random);
}
inline int whole(std::mt19937& random, int least, int most) {
  return std::uniform_int_distribution<>(least, std::max(least, most))(random);
}

inline void concave(std::mt19937& random, Options* to, int most) {
  double const scale = real(random, 1, 10), power = real(random, 0.5, 1);
  int const end = std::min(most, whole(random, 1, 64));
  for (int c = 1; c <= end; ++c) to->push_back(scale * std::pow(c, power));
}

/// Concave, but the present option is worth more by what a resize costs.
inline void resized(std::mt19937& random, Options* to, int most) {
  double const power = real(random, 0.5, 1), cost = real(random, 0, 3);
  int const end = std::min(most, whole(random, 1, 64));
  int const now = whole(random, 0, end);
  for (int c = 1; c <= end; ++c)
    to->push_back(std::pow(c, power) + (c == now ? cost : 0));
}

inline void any(std::mt19937& random, Options* to, int most) {
  int const end = std::min(most, whole(random, 1, 40));
  for (int c = 1; c <= end; ++c) to->push_back(real(random, -5, 40));
}

inline void steps(std::mt19937& random, Options* to, int most) {
  int const step = whole(random, 2, 9);
  int const end = std::min(most, whole(random, 1, 64));
  for (int c = 1; c <= end; ++c) to->push_back(c / step);
}

inline void even_steps(std::mt19937& random, Options* to, int most) {
  int const end = std::min(most, whole(random, 1, 64));
  double const scale = real(random, 1, 1.1);
  for (int c = 1; c <= end; ++c) to->push_back(scale * std::pow(c / 8, 0.9));
}

inline void all_equal(std::mt19937& random, Options* to, int most) {
  int const end = std::min(most, whole(random, 1, 30));
  for (int c = 1; c <= end; ++c) to->push_back(7);
}

inline void zero(std::mt19937& random, Options* to, int most) {
  int const end = std::min(most, whole(random, 0, 30));
  for (int c = 1; c <= end; ++c) to->push_back(0);
}

inline void large_minimum(std::mt19937& random, Options* to, int most) {
  int const least = whole(random, 1, 1 + most / 2);
  int const end = std::min(most, whole(random, least, 2 * least));
  double const power = real(random, 0.8, 1);
  for (int c = 1; c <= end; ++c)
    to->push_back(c < least ? not_an_option : std::pow(c, power));
}

inline void subset_sum(std::mt19937& random, Options* to, int most) {
  int const only = 2 * whole(random, 1, 20);
  for (int c = 1; c <= std::min(most, only); ++c)
    to->push_back(c == only ? c : not_an_option);
}

inline void correlated(std::mt19937& random, Options* to, int most) {
  int const only = whole(random, 5, 40);
  for (int c = 1; c <= std::min(most, only); ++c)
    to->push_back(c == only ? c + 3 : not_an_option);
}

inline void sawtooth(std::mt19937& random, Options* to, int most) {
  int const tooth = whole(random, 3, 12);
  int const end = std::min(most, whole(random, 1, 64));
  for (int c = 1; c <= end; ++c)
    to->push_back(0.95 * c - 0.3 * (c % tooth) + real(random, 0, 0.01));
}

/// Dear to leave: a class loses much where it is not as it is now.
inline void dear(std::mt19937& random, Options* to, int most) {
  int const end = std::min(most, whole(random, 1, 30));
  int const now = whole(random, 0, end);
  for (int c = 1; c <= end; ++c) to->push_back(c + (c == now ? 1e6 : 0));
}

inline void wide(std::mt19937& random, Options* to, int most) {
  double const scale = real(random, 1, 10), power = real(random, 0.5, 1);
  double const noise = whole(random, 0, 1) * real(random, 0, 0.1);
  for (int c = 1; c <= most; ++c)
    to->push_back(scale * std::pow(c, power) * (1 + real(random, 0, noise)));
}

}  // namespace shapes

inline std::vector<KnapsackShape> knapsack_shapes() {
  using namespace shapes;
  return {{"concave", concave, false},
          {"concave, alike", concave, true},
          {"with resize costs", resized, false},
          {"with resize costs, alike", resized, true},
          {"any", any, false},
          {"any, alike", any, true},
          {"steps", steps, false},
          {"steps, alike", steps, true},
          {"even steps", even_steps, false},
          {"all equal", all_equal, false},
          {"zero", zero, false},
          {"large minimum", large_minimum, false},
          {"large minimum, alike", large_minimum, true},
          {"subset sum", subset_sum, false},
          {"correlated", correlated, false},
          {"sawtooth", sawtooth, false},
          {"sawtooth, alike", sawtooth, true},
          {"dear", dear, false},
          {"wide", wide, false},
          {"wide, alike", wide, true}};
}

}  // namespace gleaner::alloc

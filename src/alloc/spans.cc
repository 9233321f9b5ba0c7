// SPDX-License-Identifier: Apache-2.0
/// Reading all options once, as fast as memory gives them.
#include "alloc/spans.hh"

#include <algorithm>

namespace gleaner::alloc {
namespace {

constexpr int block = 16;

/// The greatest worth − price of a block, compiled into vector instructions.
double peak(double const* worth, double const* prices) {
  double most[block / 2];
  for (int i = 0; i < block / 2; ++i)
    most[i] = std::max(worth[i] - prices[i],
                       worth[i + block / 2] - prices[i + block / 2]);
  for (int i = 0; i < block / 4; ++i)
    most[i] = std::max(most[i], most[i + block / 4]);
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

/// The block with the best option so far.
struct Best {
  double rest = not_an_option;
  int from = 0;
};

class Reader {
 public:
  Reader(int capacity, double high, double low) {
    for (int c = 0; c <= capacity; ++c) {
      high_.push_back(high * c);
      low_.push_back(low * c);
    }
  }

  Span read(double const* worth, int options) const {
    Best first, last;
    int c = 0;
    for (; c + block <= options; c += block) {
      double const at_high = peak(worth + c, high_.data() + c);
      double const at_low = peak(worth + c, low_.data() + c);
      if (at_high > first.rest) first = {at_high, c};
      if (at_low >= last.rest) last = {at_low, c};
    }
    Span span;
    span.first = first_best(worth, options, first, c);
    span.last = last_best(worth, options, last, c);
    return span;
  }

 private:
  /// `end` is where the whole blocks end; what follows is looked at singly.
  int first_best(double const* worth, int options, Best best, int end) const {
    int found = -1;
    for (int c = best.from; c < std::min(best.from + block, end); ++c)
      if (found < 0 && worth[c] - high_[c] == best.rest) found = c;
    for (int c = end; c < options; ++c)
      if (worth[c] - high_[c] > best.rest || found < 0)
        found = c, best.rest = worth[c] - high_[c];
    return found;
  }

  int last_best(double const* worth, int options, Best best, int end) const {
    int found = 0;
    for (int c = best.from; c < std::min(best.from + block, end); ++c)
      if (worth[c] - low_[c] == best.rest) found = c;
    for (int c = end; c < options; ++c)
      if (worth[c] - low_[c] >= best.rest)
        found = c, best.rest = worth[c] - low_[c];
    return found;
  }

  std::vector<double> high_, low_;
};

}  // namespace

std::vector<Span> best_between(Knapsack const& knapsack, double high,
                               double low) {
  Reader const reader(knapsack.capacity(), high, low);
  std::vector<Span> spans;
  for (std::size_t j = 0; j < knapsack.classes(); ++j)
    spans.push_back(reader.read(knapsack.worth(j), knapsack.options(j)));
  return spans;
}

}  // namespace gleaner::alloc

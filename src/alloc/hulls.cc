// SPDX-License-Identifier: Apache-2.0
/// Concave hulls, and the search for the price at which demand meets capacity.
#include "alloc/hulls.hh"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>

#include "alloc/spans.hh"

namespace gleaner::alloc {
namespace {

/// The corners of all hulls, class after class.  `slope` is that of the
/// segment that ends in the corner; it falls within a class and is positive.
struct Corner {
  double worth;
  double slope;
  int units;
};

class Hulls {
 public:
  enum class Detail { all, coarse };

  /// Of the options within the span of each class: all, or one in eight of the
  /// large ones.
  Hulls(Knapsack const& knapsack, std::vector<Span> const& spans, Detail detail)
      : coarse_(detail == Detail::coarse ? 8 : 0),
        corners_(
            std::make_unique_for_overwrite<Corner[]>(corners_at_most(spans))) {
    begin_.reserve(knapsack.classes() + 1);
    begin_.push_back(0);
    for (std::size_t j = 0; j < knapsack.classes(); ++j)
      begin_.push_back(add(knapsack.worth(j), spans[j]));
  }

  Corner const& operator[](std::size_t i) const { return corners_[i]; }
  std::size_t classes() const { return begin_.size() - 1; }
  std::size_t first(std::size_t j) const { return begin_[j]; }
  std::size_t last(std::size_t j) const { return begin_[j + 1] - 1; }

  /// The last corner of [from, to] that is reached by segments steeper than
  /// `price` (or as steep, if `or_equal`).
  std::size_t reached(std::size_t from, std::size_t to, double price,
                      bool or_equal) const {
    while (from < to) {
      auto const middle = from + (to - from + 1) / 2;
      double const slope = corners_[middle].slope;
      if (slope > price || (or_equal && slope == price))
        from = middle;
      else
        to = middle - 1;
    }
    return from;
  }

 private:
  int next(int c) const { return c + 1 + (coarse_ > 0 ? c / coarse_ : 0); }

  std::size_t corners_at_most(std::vector<Span> const& spans) const {
    std::size_t count = spans.size();
    for (auto const& span : spans)
      if (coarse_ == 0)
        count += static_cast<std::size_t>(span.last - span.first);
      else
        for (int c = next(span.first); c <= span.last; c = next(c)) ++count;
    return count;
  }

  std::size_t add(double const* worth, Span span) {
    auto top = begin_.back();
    double best = worth[span.first];
    corners_[top] = {best, std::numeric_limits<double>::infinity(), span.first};
    for (int c = next(span.first); c <= span.last; c = next(c)) {
      if (!(worth[c] > best)) continue;
      best = worth[c];
      double slope = slope_to(top, best, c);
      while (slope >= corners_[top].slope) slope = slope_to(--top, best, c);
      corners_[++top] = {best, slope, c};
    }
    return top + 1;
  }

  double slope_to(std::size_t corner, double worth, int units) const {
    return (worth - corners_[corner].worth) / (units - corners_[corner].units);
  }

  int const coarse_;
  std::unique_ptr<Corner[]> corners_;
  std::vector<std::size_t> begin_;
};

/// Finds the price by narrowing, for each class, the corners between which its
/// choice lies.  Always: at `low` all fit, at `high` they do not.
class PriceSearch {
 public:
  PriceSearch(Hulls const& hulls, int capacity)
      : hulls_(hulls), capacity_(capacity) {
    for (std::size_t j = 0; j < hulls.classes(); ++j) {
      range_.push_back({hulls.first(j), hulls.last(j), 0, 0});
      low_units_ += hulls[hulls.first(j)].units;
      high_units_ += hulls[hulls.last(j)].units;
      if (hulls.first(j) < hulls.last(j)) active_.push_back(j);
    }
  }

  Relaxation find() {
    Relaxation result;
    if (high_units_ > capacity_) {
      while (!narrow(pivot()))
        ;
      result.price = price_;
    } else {
      for (auto& range : range_) range.low = range.high;
      low_units_ = high_units_;
    }
    result.left = static_cast<int>(capacity_ - low_units_);
    for (auto& range : range_) {
      // Segments exactly as steep as the price, as long as they fit.
      if (result.left > 0 && range.low < range.high) {
        int const more = hulls_[range.high].units - hulls_[range.low].units;
        if (more <= result.left) {
          result.left -= more;
          range.low = range.high;
        }
      }
      result.choice.push_back(hulls_[range.low].units);
    }
    return result;
  }

 private:
  struct Range {
    std::size_t low, high;  // corners
    std::size_t steeper, as_steep;
  };

  /// The median of middle slopes of a few classes.
  double pivot() const {
    std::array<double, 9> slopes;
    auto const count = std::min(slopes.size(), active_.size());
    for (std::size_t i = 0; i < count; ++i) {
      auto const& range = range_[active_[i * active_.size() / count]];
      slopes[i] = hulls_[range.low + (range.high - range.low + 1) / 2].slope;
    }
    std::nth_element(slopes.begin(), slopes.begin() + count / 2,
                     slopes.begin() + count);
    return slopes[count / 2];
  }

  /// True when `price` is the price sought.
  bool narrow(double price) {
    std::int64_t steeper = 0, as_steep = 0;  // units more than at `low`
    for (auto const j : active_) {
      auto& range = range_[j];
      range.steeper = hulls_.reached(range.low, range.high, price, false);
      range.as_steep = range.steeper;
      if (range.steeper < range.high &&
          hulls_[range.steeper + 1].slope == price)
        ++range.as_steep;
      steeper += hulls_[range.steeper].units - hulls_[range.low].units;
      as_steep += hulls_[range.as_steep].units - hulls_[range.low].units;
    }
    bool const too_much = low_units_ + steeper > capacity_;
    bool const enough = low_units_ + as_steep <= capacity_;
    bool const found = !too_much && !enough;
    for (auto const j : active_) {
      auto& range = range_[j];
      if (!too_much) range.low = enough ? range.as_steep : range.steeper;
      if (too_much) range.high = range.steeper;
      if (found) range.high = range.as_steep;
    }
    if (!too_much) low_units_ += enough ? as_steep : steeper;
    price_ = price;
    if (found) return true;
    std::erase_if(active_, [&](std::size_t j) {
      return range_[j].low == range_[j].high;
    });
    return false;
  }

  Hulls const& hulls_;
  std::int64_t const capacity_;
  std::int64_t low_units_ = 0, high_units_ = 0;
  std::vector<Range> range_;
  std::vector<std::size_t> active_;  // classes whose range is not one corner
  double price_ = 0;
};

/// With fewer options a class it is quicker to look at all.
constexpr std::size_t narrowing_options_min = 100;

/// For each class the options that may be chosen: all, or those between its
/// best at a price at which all classes fit and at one at which they do not.
std::vector<Span> narrowed(Knapsack const& knapsack) {
  std::vector<Span> all;
  for (std::size_t j = 0; j < knapsack.classes(); ++j)
    all.push_back({0, knapsack.options(j) - 1});
  if (knapsack.options() < narrowing_options_min * knapsack.classes())
    return all;
  double const price = PriceSearch(Hulls(knapsack, all, Hulls::Detail::coarse),
                                   knapsack.capacity())
                           .find()
                           .price;
  if (price == 0) return all;
  for (double const factor : {1.05, 1.5}) {
    auto spans = best_between(knapsack, price * factor, price / factor);
    std::int64_t least = 0, most = 0;
    for (auto const& span : spans) least += span.first, most += span.last;
    if (least <= knapsack.capacity() && most > knapsack.capacity())
      return spans;
  }
  return all;
}

}  // namespace

Relaxation relax(Knapsack const& knapsack) {
  Hulls const hulls(knapsack, narrowed(knapsack), Hulls::Detail::all);
  return PriceSearch(hulls, knapsack.capacity()).find();
}

}  // namespace gleaner::alloc

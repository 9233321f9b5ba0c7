// SPDX-License-Identifier: Apache-2.0
/// Which numbers of nodes have to be looked at, where curves are long?
///
/// A trainer may have ten thousand sizes, of which a plan for a thousand
/// trainers comes near only a few.  So classes are made of their small sizes
/// first.  The price that follows, and outlines of the curves, then show
/// whether a larger size could be part of a plan as good; where it could,
/// classes are made longer, until none can.  What is left out changes no
/// choice.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "alloc/allocator.hh"
#include "alloc/hulls.hh"
#include "alloc/knapsack.hh"
#include "alloc/speed_outline.hh"
#include "alloc/worth.hh"

namespace gleaner::alloc {

class Cuts {
 public:
  explicit Cuts(int capacity) : capacity_(capacity) {}

  /// Class after class: a trainer that can have up to `most` nodes, all by
  /// using the capacity; null: a class that is not cut.
  void add(Trainer const* trainer, int most);

  /// All are known.  Short curves are not cut.
  void begin();

  /// The greatest number of nodes that class j is to have.
  int most(std::size_t j) const { return classes_[j].made; }

  /// False: what was left out changes no choice.  Else most() has grown.
  /// `extra`: what a class may be worth beyond `worth`, for each node.
  bool widen(Worth const& worth, double extra, Knapsack const& knapsack,
             Relaxation const& relaxed);

 private:
  struct Class {
    Trainer const* trainer = nullptr;
    int most = 0;
    int made = 0;  ///< options up to this are in the knapsack
    std::shared_ptr<SpeedOutline const> outline;
  };

  int needed(Class const& cut, WorthBound const& bound, double price,
             double below) const;

  int const capacity_;
  std::vector<Class> classes_;
};

}  // namespace gleaner::alloc

// SPDX-License-Identifier: Apache-2.0
/// Problems to measure allocators on: ordinary ones and hostile ones.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "alloc/allocator.hh"

namespace gleaner::bench {

/// Problems that are alike in what makes them easy or hard.
struct Family {
  std::string name;
  std::string what;  ///< in a few words, for the table

  /// Bounds and curve of one trainer.
  using Shape = void (*)(std::mt19937& random, int nodes,
                         alloc::Trainer* trainer);
  Shape shape;
  bool are_alike = false;  ///< all trainers have the same curve
  double known_ends = 0;   ///< the share of nodes whose hole has a planned end
};

std::vector<Family> const& families();

/// A cluster at some moment: most trainers run, some nodes are free, some just
/// came.  `policy` decides what they run on; the problem is then disturbed.
alloc::Problem make_problem(Family const& family, std::mt19937& random,
                            int nodes, int trainers);

}  // namespace gleaner::bench

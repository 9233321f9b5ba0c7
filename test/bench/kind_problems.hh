// SPDX-License-Identifier: Apache-2.0
/// Problems whose nodes are of four kinds, and how good a plan can be there.
#pragma once

#include "test/bench/problem_families.hh"

namespace gleaner::bench {

/// Which of the kinds trainers can use.
struct Usable {
  enum class Pattern {
    nested,  ///< kinds from some one on, as with memory or GPUs of generations
    any,     ///< any set of kinds
  } pattern;
  std::string name;
  std::string what;  ///< in a few words, for the table
};

std::vector<Usable> const& usable_patterns();

/// As make_problem(), with 55, 25, 15 and 5 % of the nodes of kinds 0 to 3.
/// Trainers hold nodes that they can use.
alloc::Problem make_kind_problem(Family const& family, Usable const& usable,
                                 std::mt19937& random, int nodes, int trainers);

/// What `plan` is worth, less what moving trainers costs that keep fewer of
/// their nodes than they could.
double worth_of(alloc::Problem const& problem, alloc::Plan const& plan,
                alloc::Extras const& extras);

/// No plan is worth more: each curve is replaced by its concave hull, nodes may
/// be divided, and moves are free.  The hulls' segments are taken by slope,
/// each as far as the kinds its trainer can use go; that is the best for
/// concave curves (a polymatroid, as in kind_counts.hh).
double worth_at_most(alloc::Problem const& problem,
                     alloc::Extras const& extras);

}  // namespace gleaner::bench

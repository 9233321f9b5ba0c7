// SPDX-License-Identifier: Apache-2.0
/// What do nodes cost that others have, and what would others make of more?
#pragma once

#include <cstddef>
#include <vector>

namespace gleaner::profile {

/// The price of nodes, in multiples of what one node earns for the training
/// that has it.  Nobody sells below its minimum.
class NodeMarket {
 public:
  struct Holder {
    int nodes_min = 1;
    int nodes = 0;
    /// On 0, 1, … nodes_max nodes, as a multiple of that on one.
    std::vector<double> speed;
    int user = 0;  ///< any number that differs between users
  };

  /// `spare`: nodes that nobody has.
  NodeMarket(std::vector<Holder> const& holders, int spare);

  enum class Of { everybody, user };
  /// What all but `buyer` lose for 0, 1, … nodes, as many as can be had from
  /// everybody or from trainings of the same user; spare nodes are free.
  std::vector<double> losses(std::size_t buyer, Of whom) const;

  /// What all but `seller` gain by 0, 1, … nodes more, as many as they can use.
  std::vector<double> gains(std::size_t seller) const;

 private:
  /// One node more or less, at one holder.
  struct Step {
    std::size_t holder = 0;
    double worth = 0;
  };
  static constexpr int steps_most = 64;  ///< of one holder

  std::vector<int> users_;
  int spare_;
  std::vector<Step> cheapest_;  ///< nodes that are had, cheapest first
  std::vector<Step> dearest_;   ///< nodes more, those that bring most first
};

}  // namespace gleaner::profile

// SPDX-License-Identifier: Apache-2.0
/// Which features of nodes are asked for: Slurm's --constraint.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hh"

namespace gleaner {

/// Features of a node, in any order.
using Features = std::vector<std::string>;

/// "a,b" as a list, ordered, each name once.
Features parse_features(std::string_view text);

/// What must be true of a node's features:
///     a100 & (fast | big)
/// As in Slurm, `&` and `|` bind alike, from left to right: "a|b&c" is
/// "(a|b)&c".  No text: any node.
class Constraint {
 public:
  Constraint() = default;

  /// Fails with invalid_argument, naming what could not be read: counts (a*4)
  /// and [a|b] too, which speak of all nodes of a job at once.
  static Result<Constraint> parse(std::string_view text);

  /// The same for a job's nodes one by one, where counts and brackets are: a
  /// node may be of any name within [ ]; a counted name outside asks nothing
  /// of the other nodes, so nothing of any one.
  static Result<Constraint> parse_for_each(std::string_view text);

  bool is_met_by(Features const& features) const;

  /// As it was written.
  std::string const& text() const { return text_; }
  bool empty() const { return steps_.empty(); }
  bool operator==(Constraint const&) const = default;

 private:
  friend class ConstraintReader;
  enum class Op { feature, always, all, any };
  struct Step {
    Op op = Op::feature;
    std::string name;  ///< of Op::feature
    bool operator==(Step const&) const = default;
  };

  std::string text_;
  std::vector<Step> steps_;  ///< in postfix order
};

}  // namespace gleaner

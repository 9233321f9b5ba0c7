// SPDX-License-Identifier: Apache-2.0
/// A policy for nodes that are alike, made to obey which trainers can use
/// which.
#pragma once

#include <memory>

#include "alloc/allocator.hh"
#include "alloc/kind_counts.hh"
#include "alloc/kind_placement.hh"

namespace gleaner::alloc {

/// The two decisions of a policy for alike nodes.
struct AlikePolicy {
  AlikeCounts counts;
  PlaceAlike place;
};

/// Where each trainer can use each node, `whole` decides as ever, to the bit.
/// Else the problem is cut into parts that do not compete; `whole` solves those
/// in which nodes are alike, and the others are solved with `parts`, kind by
/// kind.  A trainer moves to other nodes for one that can use fewer kinds only
/// if that gains more than moving costs.
class ByKinds final : public Allocator {
 public:
  ByKinds(std::unique_ptr<Allocator> whole, AlikePolicy parts, Extras extras,
          double steps_max)
      : whole_(std::move(whole)),
        parts_(std::move(parts)),
        extras_(extras),
        steps_max_(steps_max) {}

  Result<Decision> allocate(Problem const& problem,
                            std::chrono::milliseconds limit) override;

 private:
  /// The placed plan of a component, and what its counts say of it.
  struct Tried {
    KindPlan placed;
    double bound = 0;
    double steps = 0;
  };
  Result<Decision> solve(KindComponent const& component,
                         std::chrono::milliseconds limit);
  Result<Decision> solve_mixed(KindComponent const& component);
  Result<Tried> try_once(KindComponent const& component) const;
  double worth_of(Problem const& problem, KindPlan const& plan) const;

  std::unique_ptr<Allocator> whole_;
  AlikePolicy parts_;
  Extras extras_;
  double steps_max_;  ///< of each component
};

}  // namespace gleaner::alloc

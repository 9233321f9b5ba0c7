// SPDX-License-Identifier: Apache-2.0
/// What do the waiting jobs start on, one after the other, if leases are
/// returned?
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/cluster.hh"
#include "daemon/decisions/job_on_node.hh"
#include "daemon/decisions/job_shape.hh"
#include "daemon/decisions/supply_nodes.hh"

namespace gleaner::daemon {

/// A job takes what it needs and leaves the rest to the next.  It gets the
/// nodes Slurm would choose (SupplyNodes::entries()).
///
/// Of a node that is lent in parts it gets what is free beside the leases, if
/// that suffices on any node of the same Weight; else it takes parts back, on
/// the node where it takes the fewest (release_set.hh).
class Supply {
 public:
  /// Both must outlive this, and `nodes` be of this snapshot.  They stay as
  /// they are: what is taken is remembered here.
  Supply(Snapshot const& snapshot, SupplyNodes const& nodes,
         JobMemory memory = JobMemory::counted);

  /// What one task of a job took; empty: it cannot start.
  class Taken {
   public:
    bool empty() const { return nodes_.empty(); }
    /// The places that are not to be lent to anybody else then; none where it
    /// fits on what could not be lent.
    std::vector<std::string> places() const;

   private:
    friend class Supply;
    struct OfNode {
      std::size_t node = 0;
      SupplyNode before;
      std::vector<std::string> places;
    };
    std::vector<OfNode> nodes_;
  };

  /// Take the nodes a task of the job would start on.
  Taken take(PendingJob const& job);

  /// Undo the latest take().
  void put_back(Taken const& taken);

 private:
  class Choice;

  SupplyNode const& node(std::size_t index) const;
  JobShape const& known_shape(std::string const& key, PendingJob const& job);
  void occupy(SupplyEntry const& entry, PendingJob const& job,
              JobOnNode const& on, Gres* left, Taken* taken);

  Snapshot const& snapshot_;
  SupplyNodes const& nodes_;
  JobMemory memory_;
  std::vector<char> is_changed_;  ///< by node
  std::unordered_map<std::size_t, SupplyNode> changed_;
  std::unordered_map<std::string, JobShape> shapes_;
  /// Jobs of these shapes found no place for so many nodes, and there is never
  /// more of it: who needs as many, or more, finds none either.
  std::unordered_map<std::string, std::size_t> unmet_;
};

}  // namespace gleaner::daemon

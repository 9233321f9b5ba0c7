// SPDX-License-Identifier: Apache-2.0
/// What the waiting jobs would start on, one after the other, if leases were
/// returned.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/cluster.hh"
#include "core/features.hh"
#include "daemon/places.hh"

namespace gleaner {

/// Idle nodes, lent ones, and what is free of those that jobs use in part.
///
/// A job takes what it needs and leaves the rest to the next.  It gets the
/// nodes Slurm would choose: low Weight first, then those that are free
/// already, the idle before those that other jobs use in part; of the lent
/// ones those with the oldest leases, which Slurm would preempt first.
class Supply {
 public:
  Supply(Snapshot const& snapshot, Places const& places);

  /// What one task of a job took; empty: it cannot start.
  class Taken {
   public:
    bool empty() const { return parts_.empty(); }
    std::vector<std::string> nodes() const;

   private:
    friend class Supply;
    struct Part {
      std::size_t entry;
      std::string node;
      Resources before;
      bool untouched;
    };
    std::vector<Part> parts_;
  };

  /// Take the nodes a task of the job would start on.
  Taken take(PendingJob const& job);

  /// Undo the latest take().
  void put_back(Taken const& taken);

 private:
  struct Entry {
    std::string name;
    KindIndex kind = 0;
    Resources free;
    bool untouched = true;  ///< no job is on it: one may have it whole
    std::uint32_t weight = 1;
    bool lent = false;
    JobId lease = 0;
  };
  /// What jobs that ask the same have in common.
  struct Shape {
    std::vector<char> kinds;             ///< that fit
    std::vector<NodeSet const*> within;  ///< reservations; empty: any node
  };
  struct Choice;

  Shape const& shape_of(PendingJob const& job);
  bool kind_fits(NodeKind const& kind, PendingJob const& job,
                 Constraint const& constraint) const;
  bool fits(Entry const& entry, PendingJob const& job,
            Shape const& shape) const;
  void choose(PendingJob const& job, Shape const& shape, Choice* choice);
  void occupy(Entry* entry, PendingJob const& job, Gres* left);

  Snapshot const& snapshot_;
  std::vector<Entry> entries_;  ///< in the order Slurm would take them
  std::vector<std::vector<std::size_t>> by_kind_;
  std::unordered_map<std::string, Shape> shapes_;
  /// Jobs of these shapes found no place, and there is never more of it.
  std::unordered_set<std::string> unmet_;
};

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// What the waiting jobs would start on, one after the other, if leases were
/// returned.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/cluster.hh"
#include "core/features.hh"
#include "daemon/places.hh"
#include "daemon/release_set.hh"

namespace gleaner {

/// Idle nodes, lent ones, and what is free of those that jobs use in part.
///
/// A job takes what it needs and leaves the rest to the next.  It gets the
/// nodes Slurm would choose: low Weight first, then those that are free
/// already, the idle before those that other jobs use in part; of the lent
/// ones those with the oldest leases, which Slurm would preempt first.
///
/// Of a node that is lent in parts it gets what is free beside the leases, if
/// that suffices on any node of the same Weight; else it takes parts back, on
/// the node where it takes the fewest (release_set.hh).
class Supply {
 public:
  enum class Memory {
    counted,  ///< allocated to jobs
    ignored,  ///< by Slurm: SelectTypeParameters without _Memory
  };
  /// `withheld` places are not to be had.
  Supply(Snapshot const& snapshot, Places const& places,
         Memory memory = Memory::counted,
         std::set<std::string> const& withheld = {});

  /// What one task of a job took; empty: it cannot start.
  class Taken {
   public:
    bool empty() const { return nodes_.empty(); }
    /// The places that are not to be lent to anybody else then; none where it
    /// fits on what could not be lent.
    std::vector<std::string> places() const;

   private:
    friend class Supply;
    struct OfNode;
    std::vector<OfNode> nodes_;
  };

  /// Take the nodes a task of the job would start on.
  Taken take(PendingJob const& job);

  /// Undo the latest take().
  void put_back(Taken const& taken);

 private:
  /// What is left of a node.
  struct Node {
    std::string name;
    KindIndex kind = 0;
    Resources free = {};    ///< that no part has
    bool untouched = true;  ///< no job is on it: one may have it whole
    bool parted = false;
    std::vector<PartOfNode> parts = {};
    std::vector<std::string> part_names = {};

    Resources beside() const;  ///< what leases leave
    Resources all() const;     ///< leases returned
    bool has_leases() const;
  };
  /// A way to use a node: beside the leases of its parts, or instead of them.
  struct Entry {
    std::size_t node = 0;
    bool takes_back = false;
    Resources available = {};
    std::uint32_t weight = 1;
    bool lent = false;
    JobId lease = 0;
    int used_in_part = 0;
  };
  /// What jobs that ask the same have in common.
  struct Shape {
    std::vector<char> kinds;             ///< that fit
    std::vector<NodeSet const*> within;  ///< reservations; empty: any node
  };
  struct Choice;
  using Parts = std::vector<std::size_t>;

  void add_whole(Places const& places, std::set<std::string> const& withheld);
  void add_shared(Places const& places, std::set<std::string> const& withheld);
  void add_shared(Node node, std::uint32_t weight,
                  std::vector<Place const*> const& places,
                  std::set<std::string> const& withheld);
  void refresh(std::size_t node);
  Shape const& shape_of(PendingJob const& job);
  bool fits(Entry const& entry, PendingJob const& job,
            Shape const& shape) const;
  void choose(PendingJob const& job, Shape const& shape, Choice* choice);
  void consider(std::size_t index, PendingJob const& job, Choice* choice);
  void add_cheapest(PendingJob const& job, Choice* choice);
  void add(std::size_t index, PendingJob const& job, Choice* choice);
  bool is_wanted(Entry const& entry, PendingJob const& job,
                 Choice const& choice) const;
  Resources needs_on(Entry const& entry, PendingJob const& job,
                     Gres* left) const;
  Parts parts_for(Entry const& entry, PendingJob const& job,
                  Resources const& needs) const;
  void occupy(Entry const& entry, PendingJob const& job, Gres* left,
              Taken* taken);

  Snapshot const& snapshot_;
  Memory memory_;
  std::vector<Node> nodes_;
  std::vector<Entry> entries_;  ///< in the order Slurm would take them
  std::vector<std::vector<std::size_t>> entries_of_;  ///< by node
  std::vector<std::vector<std::size_t>> by_kind_;
  std::unordered_map<std::string, Shape> shapes_;
  /// Jobs of these shapes found no place, and there is never more of it.
  std::unordered_set<std::string> unmet_;
};

struct Supply::Taken::OfNode {
  std::size_t node = 0;
  Supply::Node before;
  std::vector<std::string> places = {};
};

/// Could a node of this kind serve the job, if nothing else was on it?
bool kind_fits(NodeKind const& kind, PendingJob const& job);

}  // namespace gleaner

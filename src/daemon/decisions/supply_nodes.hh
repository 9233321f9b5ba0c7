// SPDX-License-Identifier: Apache-2.0
/// Which nodes could waiting jobs get, leases returned, and in which order
/// would Slurm take them?
///
/// Idle nodes, lent ones, and what is free of those that jobs use in part.
/// From one look to the next few of thousands differ: update() makes those
/// again, and keeps the others.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/cluster.hh"
#include "daemon/decisions/places.hh"
#include "daemon/decisions/release_set.hh"

namespace gleaner::daemon {

/// What there is of a node.
struct SupplyNode {
  std::string name;
  KindIndex kind = 0;
  std::uint32_t weight = 1;
  bool parted = false;       ///< lent in parts, or used in part
  bool untouched = true;     ///< no job is on it: one may have it whole
  Resources told_free = {};  ///< what the snapshot calls free of it
  Resources free = {};       ///< that no part has
  std::vector<PartOfNode> parts = {};
  std::vector<std::string> part_names = {};
  bool lent = false;      ///< as a whole
  JobId lease = 0;        ///< that has all of it
  Resources beside = {};  ///< what leases leave
  Resources all = {};     ///< leases returned
  bool operator==(SupplyNode const&) const = default;

  bool has_leases() const;
  /// Set `beside` and `all` by `free` and `parts`.
  void add_up();
};

/// A way to use a node: beside the leases of its parts, or instead of them.
struct SupplyEntry {
  std::size_t node = 0;  ///< index
  bool takes_back = false;
  std::uint32_t weight = 1;
  bool lent = false;
  JobId lease = 0;  ///< the oldest
  int used_in_part = 0;
  bool operator==(SupplyEntry const&) const = default;

  Resources const& available(SupplyNode const& node) const {
    return takes_back ? node.all : node.beside;
  }
};

class SupplyNodes {
 public:
  /// `withheld` places are not to be had.
  void update(Snapshot const& snapshot, Places const& places,
              std::set<std::string> const& withheld = {});

  std::vector<SupplyNode> const& nodes() const { return nodes_; }

  /// In the order Slurm would take them: low Weight first, then those that are
  /// free already, the idle before those that other jobs use in part; of the
  /// lent ones those with the oldest leases, which Slurm would preempt first.
  std::vector<SupplyEntry> const& entries() const { return entries_; }

  /// The entries of each kind's nodes, as indices in the same order.
  std::vector<std::vector<std::size_t>> const& by_kind() const {
    return by_kind_;
  }

  bool operator==(SupplyNodes const&) const = default;

 private:
  struct Source;
  class Merge;
  void rebuild_order(std::vector<std::size_t> const& now_at,
                     std::vector<std::size_t> const& made);

  std::vector<SupplyNode> nodes_;  ///< ordered by name
  std::vector<SupplyEntry> entries_;
  std::vector<std::vector<std::size_t>> by_kind_;
  std::vector<Resources> totals_;  ///< of the kinds
  bool any_withheld_ = false;
};

}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// Which places do the nodes make that are lent in parts?
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/decisions/lease_table.hh"
#include "daemon/decisions/places.hh"
#include "daemon/decisions/roster.hh"

namespace gleaner::daemon {

/// Keeps what it made of each node, and makes it again only where anything has
/// changed that it was made of.
class PartPlaces {
 public:
  /// Of each parted node the parts that leases have or are about to have, and
  /// those into which the rest can be cut, with their ends.
  Places make(Snapshot const& snapshot, LeaseTable const& leases,
              Roster const& roster);

 private:
  struct LeasedPart {
    std::string place;
    Resources has;
    bool seen = false;
    JobId job = 0;
    bool operator==(LeasedPart const&) const = default;
  };
  /// What a node's places are made of, beside its kind.
  struct Origin {
    SharedNode node;
    std::vector<LeasedPart> leases;
    std::optional<Resources> asked;  ///< none: it is offered as a whole
  };
  struct Known {
    Origin of;
    std::vector<Places::value_type> places;
    bool is_there = false;  ///< in the snapshot
  };
  struct OfKind {
    Resources total;
    int parts_max = 0;
    std::vector<NodeUse> waiting;  ///< what jobs in front of the queue need
    bool operator==(OfKind const&) const = default;
  };

  void set_kinds(Snapshot const& snapshot);
  Known const& of_node(SharedNode const& node, NodeKind const& kind,
                       std::vector<Lease const*> const& leases,
                       Resources const* asked);

  std::vector<OfKind> kinds_;
  std::unordered_map<std::string, Known> known_;  ///< by node
};

}  // namespace gleaner::daemon

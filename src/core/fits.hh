// SPDX-License-Identifier: Apache-2.0
/// Which nodes can serve what is asked: of a lease, and of a waiting job.
///
/// Every answer is a reason why not, "" for yes, so that messages can say it.
#pragma once

#include <string>
#include <vector>

#include "core/cluster.hh"
#include "core/lease_template.hh"

namespace gleaner {

/// Why no node of this kind, with nothing else on it, can serve a lease of the
/// template: what it lacks, "feature fast&wide", "not in partition big".
std::string misfit(NodeKind const& kind, LeaseTemplate const& ask);

/// The same for a part of such a node.
std::string misfit(NodeKind const& kind, Resources const& part,
                   LeaseTemplate const& ask);

/// The same for one node of the kind, with what of it is to be had.
std::string misfit(std::string const& node, NodeKind const& kind,
                   Resources const& available, LeaseTemplate const& ask);

/// Does the template allow this node by name?  "" or why not.
std::string misfit_by_name(std::string const& node, LeaseTemplate const& ask);

/// How many leases of the template the cluster could ever serve, each a node or
/// a part of one, and where there are none, why: "no node of partition lease
/// has gpu:b:4 (nearest: n7 lacks gpu:b:4 (has gpu:a:2))".
struct Servers {
  int nodes = 0;
  std::string why_none;
};
Servers servers_of(Snapshot const& snapshot, std::string const& lease_partition,
                   LeaseTemplate const& ask);

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// How large is a part of a node?
///
/// A part has GPUs of one type, never of two, with the CPUs and the memory that
/// go with them: their share of the node's, or what is asked for if that is
/// more.  So as long as no training asks for more than its share, the GPUs
/// that are not lent keep CPUs and memory for the jobs that will use them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cluster.hh"

namespace gleaner {

/// The types of GPU in it, as keys of Gres: "gpu:a", or "gpu" for those without
/// a type.
std::vector<std::string> gpu_types(Gres const& gres);

/// How many GPUs of this type a lease takes that asks for so much: at least 1.
std::int64_t gpus_of_part(std::string const& type, Gres const& asked);

/// The part of a node of this kind that serves what is asked of each node,
/// with GPUs of this type.  None where no part of such a node can serve it.
std::optional<Resources> part_size(NodeKind const& kind,
                                   std::string const& type,
                                   Resources const& asked);

/// Into how many such parts a node of this kind can be cut when nothing else is
/// on it: no more than NodeKind::parts_max.
int parts_of(NodeKind const& kind, Resources const& asked);

}  // namespace gleaner

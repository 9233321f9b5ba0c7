// SPDX-License-Identifier: Apache-2.0
/// How Slurm's own structures become records.
#pragma once

#include "slurm/compat.hh"
#include "slurm/snapshot.hh"

namespace gleaner {

NodeRecord record_of(node_info_t const& node);
JobRecord record_of(slurm_job_info_t const& job, TimeS now_s);
PartitionRecord record_of(partition_info_t const& partition);
ReservationRecord record_of(reserve_info_t const& reservation);

/// NULL as "".
inline std::string text_of(char const* text) { return text ? text : ""; }

}  // namespace gleaner

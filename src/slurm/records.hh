// SPDX-License-Identifier: Apache-2.0
/// How Slurm's own structures become records.
#pragma once

#include "slurm/compat.hh"
#include "slurm/snapshot.hh"
#include "slurm/text_memory.hh"

namespace gleaner::slurm {

/// Into a record that may have been another node's.
void read_node(node_info_t const& node, NodeRecord* record);
JobRecord record_of(slurm_job_info_t const& job, TimeS now_s,
                    TextMemory* texts);
PartitionRecord record_of(partition_info_t const& partition);
ReservationRecord record_of(reserve_info_t const& reservation);

inline NodeRecord record_of(node_info_t const& node) {
  NodeRecord record;
  read_node(node, &record);
  return record;
}
inline JobRecord record_of(slurm_job_info_t const& job, TimeS now_s) {
  TextMemory texts;
  return record_of(job, now_s, &texts);
}

/// NULL as "".
inline std::string text_of(char const* text) { return text ? text : ""; }

}  // namespace gleaner::slurm

// SPDX-License-Identifier: Apache-2.0
/// What is free without any lease being given back, in counts by partition.
///
/// gleanerd writes it into a file beside its sockets; job_submit_gleaner reads
/// it when a job is submitted, under slurmctld's locks: so few numbers, and a
/// text that is read at a glance:
///     until 1772600004.5 notice 2
///     main* idle 0 partly 2 lent 8 gpus 1,1 back 10,10,8,8
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner {

/// The longest notice; half a bf_interval of most machines.
inline constexpr int notice_s_max = 12;

/// How many nodes have free GPUs: entry k - 1 counts those with k or more.
using NodesByGpus = std::vector<int>;

struct FreeNodes {
  struct Partition {
    std::string name;
    bool is_default = false;
    int idle = 0;    ///< nodes on which nothing runs
    int partly = 0;  ///< nodes that jobs use in part, with CPUs left
    int lent = 0;    ///< nodes that are idle once all leases are given back
    NodesByGpus gpus = {};       ///< now
    NodesByGpus gpus_back = {};  ///< once all leases are given back
    bool operator==(Partition const&) const = default;
  };
  TimeS until_s = 0;  ///< later than this it is not to be believed
  int notice_s = 0;   ///< that a job gets which cannot start without leases
  std::vector<Partition> partitions;  ///< ordered by name
  bool operator==(FreeNodes const&) const = default;

  /// The partition of this name, "" is the default one; null: not known.
  Partition const* find(std::string_view name) const;
};

std::string to_text(FreeNodes const& free);
/// Fails with invalid_argument, quoting the line.
Result<FreeNodes> parse_free_nodes(std::string_view text);

/// Adds `nodes` nodes with so many free GPUs each; more than 64 count as 64.
void count_gpus(NodesByGpus* counts, std::int64_t gpus, int nodes = 1);

/// Where in RUN_DIR it is.
std::string free_nodes_path(std::string const& run_dir);

}  // namespace gleaner

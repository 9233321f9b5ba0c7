// SPDX-License-Identifier: Apache-2.0
/// What is free without any lease being given back, in counts by partition.
///
/// gleanerd writes it into a file beside its sockets; job_submit_gleaner reads
/// it when a job is submitted, under slurmctld's locks: so few numbers, and a
/// text that is read at a glance:
///     until 1772600004.5
///     main* idle 0 partly 2 gres 1 lent 8
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner {

struct FreeNodes {
  struct Partition {
    std::string name;
    bool is_default = false;
    int idle = 0;    ///< nodes on which nothing runs
    int partly = 0;  ///< nodes that jobs use in part, with CPUs left
    int gres = 0;    ///< of both, those with a free GRES of any kind
    int lent = 0;    ///< nodes whose leases may be asked back
    bool operator==(Partition const&) const = default;
  };
  TimeS until_s = 0;  ///< later than this it is not to be believed
  std::vector<Partition> partitions;  ///< ordered by name
  bool operator==(FreeNodes const&) const = default;

  /// The partition of this name, "" is the default one; null: not known.
  Partition const* find(std::string_view name) const;
};

std::string to_text(FreeNodes const& free);
/// Fails with invalid_argument, quoting the line.
Result<FreeNodes> parse_free_nodes(std::string_view text);

/// Where in RUN_DIR it is.
std::string free_nodes_path(std::string const& run_dir);

}  // namespace gleaner

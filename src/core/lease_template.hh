// SPDX-License-Identifier: Apache-2.0
/// What a training asks of each of its leases, read from its lease template.
///
/// job_submit_gleaner writes the template as srun options separated by one
/// space (plugins/job_submit/lease_template.hh); it travels in the base job's
/// admin_comment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/features.hh"
#include "core/node_set.hh"
#include "core/resources.hh"
#include "core/result.hh"

namespace gleaner {

/// What one lease needs of its node.
struct LeaseTemplate {
  std::string text;  ///< as it was written: names the template
  Resources each;    ///< 0 and no entry: nothing in particular
  Constraint constraint;
  std::vector<std::string> partitions;  ///< the node is in one; empty: any
  NodeSet required;                     ///< the node is one of them; empty: any
  NodeSet excluded;
  bool operator==(LeaseTemplate const&) const = default;
};

/// Read a template.  --gres, --gpus-per-node, -c, --mincpus, --mem,
/// --constraint, --partition, --nodelist and --exclude mean something here;
/// other options go to srun unread.  Fails with invalid_argument, quoting the
/// option.
Result<LeaseTemplate> parse_lease_template(std::string_view text);

/// The options as srun gets them: all but --partition, which says where the
/// user wants to run and would override the lease partition, and --nodelist.
std::vector<std::string> srun_options(std::string_view lease_template);

}  // namespace gleaner

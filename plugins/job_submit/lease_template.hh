// SPDX-License-Identifier: Apache-2.0
/// What `sbatch --malleable` asks of each training node, as srun options.
#pragma once

#include <string>

#include "core/result.hh"
#include "plugins/job_submit/job_request.hh"
#include "plugins/malleable_range.hh"

namespace gleaner {

/// Longest template: it has to fit into an admin_comment.
inline constexpr std::size_t lease_template_bytes_max = 800;

/// Turn what the user asked of nodes into the options of each lease.
///
/// | asked                                   | becomes                       |
/// |-----------------------------------------|-------------------------------|
/// | --gres, --gpus-per-node                 | --gres                        |
/// | --mem, --constraint, --exclude,         | the same option               |
/// | --mincpus, --tmp                        |                               |
/// | -n, -c, --ntasks-per-*, --exclusive,    | nothing: a lease is a whole   |
/// | --mem-per-cpu, --cpus-per-gpu, -p …     | node, the runtime starts tasks|
/// | -N within MIN-MAX                       | nothing: --malleable says it  |
/// | -N outside, --gpus, --gpus-per-task,    | refused: has no meaning when  |
/// | --gpus-per-socket, --nodelist,          | nodes come and go one by one  |
/// | --switches, --contiguous, --reservation |                               |
///
/// Fails with invalid_argument: the option, its value, why, and what to write
/// instead.
Result<std::string> make_lease_template(JobRequest const& request,
                                        MalleableRange const& range);

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// What `sbatch --malleable` asks of each training node, as srun options.
#pragma once

#include <string>

#include "core/result.hh"
#include "plugins/job_submit/job_request.hh"
#include "plugins/malleable_range.hh"

namespace gleaner::job_submit {

/// Longest template: it has to fit into an admin_comment.
inline constexpr std::size_t lease_template_bytes_max = 800;

/// Turn what the user asked of nodes into the options of each lease.
///
/// | asked                                   | becomes                       |
/// |-----------------------------------------|-------------------------------|
/// | --gres, --gpus-per-node                 | --gres                        |
/// | --mem, --constraint, --exclude, --tmp,  | the same option               |
/// | --threads-per-core                      |                               |
/// | -p                                      | --partition: whose nodes may  |
/// |                                         | serve its leases              |
/// | -c, --ntasks-per-node, --mincpus,       | --cpus-per-task: CPUs of each |
/// | --cpus-per-gpu                          | node                          |
/// | --mem-per-cpu, --mem-per-gpu            | --mem: for those CPUs, GPUs   |
/// | --exclusive                             | nothing: a lease shares what  |
/// |                                         | it has with nobody            |
/// | -N within MIN-MAX, -n that is -N times  | nothing: --malleable says it  |
/// | --ntasks-per-node, -n 1                 |                               |
/// | every other option of nodes, tasks and  | refused by name               |
/// | binding                                 |                               |
///
/// Fails with invalid_argument: the option, its value, why, and what to write
/// instead; with denied for root, to whom no lease is given.
Result<std::string> make_lease_template(JobRequest const& request,
                                        plugins::MalleableRange const& range);

}  // namespace gleaner::job_submit

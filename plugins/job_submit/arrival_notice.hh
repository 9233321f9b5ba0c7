// SPDX-License-Identifier: Apache-2.0
/// Is a job that arrives to wait until trainings have left the nodes it needs?
///
/// Slurm looks at its queue a random part of a second after a submission, and
/// preempts the leases that are in the job's way, often before the trainings
/// there could leave.  A job that cannot start without leased nodes therefore
/// gets a begin time a moment ahead.  gleanerd asks the trainings to leave, and
/// takes the begin time away when they have; if it does not, the time passes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/config.hh"
#include "core/free_nodes.hh"
#include "plugins/job_submit/job_request.hh"

namespace gleaner::job_submit {

/// When the job may begin, in whole seconds, as Slurm counts; none: nothing
/// about it is changed.  That is so for all that might start without leased
/// nodes, and where its begin would mean something else already.
std::optional<std::int64_t> notice_until(JobRequest const& request,
                                         FreeNodes const& free,
                                         Config const& config, TimeS now);

}  // namespace gleaner::job_submit

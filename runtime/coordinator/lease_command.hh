// SPDX-License-Identifier: Apache-2.0
/// How the coordinator asks Slurm for a lease: the srun it runs, as the user.
///
/// One srun takes the node and runs the agent on it; the lease ends with the
/// agent.  Its environment must not carry that of the base job, or Slurm would
/// start a step of the base job instead of a new one (doc/architecture.md).
#pragma once

#include <string>
#include <vector>

#include "proto/daemon_messages.hh"

namespace gleaner::coordinator {

/// `env` without what Slurm, PMI and the GPU runtime set for the base job:
/// SLURM_*, SLURMD_*, SRUN_*, SBATCH_*, SALLOC_*, SPANK_*, _SLURM_SPANK_*,
/// PMI*, PMIX_* and *_VISIBLE_DEVICES.  SLURM_CONF stays.
std::vector<std::string> scrubbed_environment(
    std::vector<std::string> const& env);

/// "--account=A" and "--qos=Q" of the base job, as Slurm has put them into
/// `env` (SLURM_JOB_ACCOUNT, SLURM_JOB_QOS): a lease is charged as its base job
/// is, unless the site says otherwise (lease_account, lease_qos), and a
/// job_submit script that requires an account finds one.
std::vector<std::string> charge_options(std::vector<std::string> const& env);

/// The command line that uses the ticket.  `options` are those of
/// msg::Registered: partition, reservation and lease template.  A part is asked
/// for as the grant says; what the template says of amounts is left out then.
std::vector<std::string> lease_command(msg::Grant const& grant,
                                       std::vector<std::string> const& options,
                                       std::string const& agent);

}  // namespace gleaner::coordinator

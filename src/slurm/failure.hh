// SPDX-License-Identifier: Apache-2.0
/// What errno means after a call to libslurm failed.
#pragma once

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <cerrno>
#include <string>

#include "core/result.hh"

namespace gleaner::slurm {

/// The error of the call just made: denied, or unavailable.
inline Error slurm_failure(std::string const& what) {
  int const code = errno;
  bool const denied =
      code == ESLURM_ACCESS_DENIED || code == ESLURM_USER_ID_MISSING;
  return {denied ? Errc::denied : Errc::unavailable,
          what + " (" + slurm_strerror(code) + ")"};
}

/// Does it mean that the job has ended already?
inline bool means_over(int code) {
  return code == ESLURM_ALREADY_DONE || code == ESLURM_INVALID_JOB_ID ||
         code == ESLURM_JOB_FINISHED;
}

/// Does the code mean that slurmctld was not reached?  Errors about jobs are
/// numbered from here on, errors of messages below.
inline bool means_away(int code) {
  return code < ESLURM_INVALID_PARTITION_NAME;
}

}  // namespace gleaner::slurm

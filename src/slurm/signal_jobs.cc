// SPDX-License-Identifier: Apache-2.0
/// One request for many jobs, or requests side by side.
#include "slurm/signal_jobs.hh"

#include <algorithm>
#include <cerrno>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "slurm/compat.hh"
#include "slurm/failure.hh"

namespace gleaner::slurm {
namespace {

using Jobs = std::vector<JobId>;

/// slurmctld holds its locks while it does a request.
constexpr std::size_t in_one_request_max = 1000;
constexpr std::size_t part_min = 16;  ///< jobs that one thread tells in turn
constexpr std::size_t parts_max = 4;

Error failure_of(JobId job) {
  return slurm_failure("cannot signal job " + std::to_string(job));
}

/// In one request; nothing where Slurm has no such request.
std::optional<Result<void>> signal_together(Jobs const& jobs, JobSignal what) {
  compat::JobFailures failures;
  if (compat::kill_jobs(jobs, what.signal, what.flags, &failures) !=
      SLURM_SUCCESS) {
    if (errno == ESLURM_NOT_SUPPORTED) return std::nullopt;
    return slurm_failure("cannot signal " + std::to_string(jobs.size()) +
                         " jobs");
  }
  Result<void> result;
  for (auto const& [job, code] : failures) {
    if (means_over(code)) continue;
    errno = code;
    result = failure_of(job);
  }
  return result;
}

/// One after the other.  Fails with the last failure; the rest is spared when
/// slurmctld is away, since each try takes seconds.
Result<void> signal_in_turn(Jobs const& jobs, JobSignal what) {
  Result<void> result;
  for (auto const job : jobs) {
    if (slurm_kill_job(compat::job_ref(job), what.signal, what.flags) ==
        SLURM_SUCCESS)
      continue;
    int const code = errno;
    if (means_over(code)) continue;
    result = failure_of(job);
    if (means_away(code)) break;
  }
  return result;
}

/// Parts of them side by side: a request waits for slurmctld most of its time.
Result<void> signal_side_by_side(Jobs const& jobs, JobSignal what) {
  auto const size =
      std::max(part_min, (jobs.size() + parts_max - 1) / parts_max);
  std::vector<std::future<Result<void>>> parts;
  for (std::size_t at = 0; at < jobs.size(); at += size) {
    auto const first = jobs.begin() + static_cast<std::ptrdiff_t>(at);
    auto const count = std::min(size, jobs.size() - at);
    Jobs part(first, first + static_cast<std::ptrdiff_t>(count));
    // The last one in this thread: a single job needs no other.
    auto policy = std::launch::deferred;
    if (at + size < jobs.size()) policy |= std::launch::async;
    parts.push_back(std::async(policy, signal_in_turn, std::move(part), what));
  }
  Result<void> result;
  for (auto& part : parts)
    if (auto done = part.get(); !done) result = done;
  return result;
}

}  // namespace

Result<void> signal_jobs(Jobs const& jobs, JobSignal what) {
  if (jobs.size() == 1) return signal_in_turn(jobs, what);
  Result<void> result;
  for (std::size_t at = 0; at < jobs.size(); at += in_one_request_max) {
    auto const first = jobs.begin() + static_cast<std::ptrdiff_t>(at);
    auto const count = std::min(in_one_request_max, jobs.size() - at);
    Jobs const some(first, first + static_cast<std::ptrdiff_t>(count));
    auto done = signal_together(some, what);
    if (!done) return signal_side_by_side(jobs, what);
    if (!*done) result = *done;
  }
  return result;
}

}  // namespace gleaner::slurm

// SPDX-License-Identifier: Apache-2.0
/// Signals and ends, in as few requests as Slurm allows.
#include "slurm/end_leases.hh"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "slurm/compat.hh"
#include "slurm/failure.hh"

namespace gleaner {
namespace {

constexpr int quit_ms_max = 100;      ///< that an agent has to leave by itself
constexpr std::size_t part_min = 16;  ///< leases that one thread tells in turn
constexpr std::size_t parts_max = 4;
/// A list of everything costs slurmctld as much as some requests for one.
constexpr std::size_t many_min = 16;

using Jobs = std::vector<JobId>;

/// What slurmctld is asked to send.
struct Word {
  std::uint16_t signal;
  std::uint16_t flags;
};
constexpr Word quit{SIGTERM, KILL_STEPS_ONLY};
constexpr Word die{SIGKILL, KILL_STEPS_ONLY};
constexpr Word end{SIGKILL, 0};

/// Tell these, one after the other.  Fails with the last failure; the rest is
/// spared when slurmctld is away, since each try takes seconds.
Result<void> tell_part(Jobs const& jobs, Word word) {
  Result<void> result;
  for (auto const job : jobs) {
    if (slurm_kill_job(compat::job_ref(job), word.signal, word.flags) ==
        SLURM_SUCCESS)
      continue;
    int const code = errno;
    if (means_over(code)) continue;
    result = slurm_failure("cannot end lease " + std::to_string(job));
    if (means_away(code)) break;
  }
  return result;
}

/// Tell all: parts of them side by side, as a request waits for slurmctld most
/// of its time.
Result<void> tell(Jobs const& jobs, Word word) {
  auto const size =
      std::max(part_min, (jobs.size() + parts_max - 1) / parts_max);
  std::vector<std::future<Result<void>>> parts;
  for (std::size_t at = 0; at < jobs.size(); at += size) {
    auto const first = jobs.begin() + static_cast<std::ptrdiff_t>(at);
    auto const count = std::min(size, jobs.size() - at);
    Jobs part(first, first + static_cast<std::ptrdiff_t>(count));
    // The last one in this thread: a single lease needs no other.
    auto policy = std::launch::deferred;
    if (at + size < jobs.size()) policy |= std::launch::async;
    parts.push_back(std::async(policy, tell_part, std::move(part), word));
  }
  Result<void> result;
  for (auto& part : parts)
    if (auto done = part.get(); !done) result = done;
  return result;
}

/// The jobs that have a step; none when Slurm does not say.
std::optional<std::set<JobId>> jobs_with_steps() {
  job_step_info_response_msg_t* answer = nullptr;
  if (compat::load_steps(&answer) != SLURM_SUCCESS || !answer)
    return std::nullopt;
  std::unique_ptr<job_step_info_response_msg_t,
                  void (*)(job_step_info_response_msg_t*)> const
      message(answer, slurm_free_job_step_info_response_msg);
  std::set<JobId> jobs;
  for (std::uint32_t i = 0; i < message->job_step_count; ++i)
    jobs.insert(message->job_steps[i].step_id.job_id);
  return jobs;
}

/// The jobs that have not ended; none when Slurm does not say.
std::optional<std::set<JobId>> jobs_running() {
  job_info_msg_t* answer = nullptr;
  if (slurm_load_jobs(0, &answer, SHOW_ALL | SHOW_LOCAL) != SLURM_SUCCESS ||
      !answer)
    return std::nullopt;
  std::unique_ptr<job_info_msg_t, void (*)(job_info_msg_t*)> const message(
      answer, slurm_free_job_info_msg);
  std::set<JobId> jobs;
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    auto const& job = message->job_array[i];
    auto const base = job.job_state & JOB_STATE_BASE;
    if (base <= JOB_SUSPENDED && !(job.job_state & JOB_COMPLETING))
      jobs.insert(compat::job_id(job));
  }
  return jobs;
}

/// Those of `jobs` that are in `known`; all of them without it.
Jobs among(Jobs jobs, std::optional<std::set<JobId>> const& known) {
  if (known) std::erase_if(jobs, [&](JobId job) { return !known->count(job); });
  return jobs;
}

}  // namespace

Result<void> end_leases(std::vector<JobId> const& jobs) {
  bool const many = jobs.size() >= many_min;
  auto with_steps = many ? among(jobs, jobs_with_steps()) : jobs;
  Jobs without;
  std::sort(with_steps.begin(), with_steps.end());
  std::copy_if(
      jobs.begin(), jobs.end(), std::back_inserter(without), [&](JobId job) {
        return !std::binary_search(with_steps.begin(), with_steps.end(), job);
      });
  auto const ended = tell(without, end);
  if (with_steps.empty()) return ended;
  // One whose step has just gone hears no signal; what follows ends it.
  (void)tell(with_steps, quit);
  poll(nullptr, 0, quit_ms_max);
  auto const left =
      many ? among(std::move(with_steps), jobs_running()) : with_steps;
  (void)tell(left, die);
  auto const killed = tell(left, end);
  return killed ? ended : killed;
}

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// Signals and ends, in as few requests as Slurm allows.
#include "slurm/end_leases.hh"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "slurm/compat.hh"
#include "slurm/signal_jobs.hh"

namespace gleaner::slurm {
namespace {

constexpr int quit_ms_max = 100;  ///< that an agent has to leave by itself
/// A list of everything costs slurmctld as much as some requests for one.
constexpr std::size_t many_min = 16;

using Jobs = std::vector<JobId>;

constexpr JobSignal quit{SIGTERM, KILL_STEPS_ONLY};
constexpr JobSignal die{SIGKILL, KILL_STEPS_ONLY};
constexpr JobSignal end{SIGKILL, 0};

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
  auto const ended = signal_jobs(without, end);
  if (with_steps.empty()) return ended;
  // A lease whose step has just ended gets no signal; the next call ends it.
  (void)signal_jobs(with_steps, quit);
  poll(nullptr, 0, quit_ms_max);
  auto const left =
      many ? among(std::move(with_steps), jobs_running()) : with_steps;
  (void)signal_jobs(left, die);
  auto const killed = signal_jobs(left, end);
  return killed ? ended : killed;
}

}  // namespace gleaner::slurm

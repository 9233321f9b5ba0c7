// SPDX-License-Identifier: Apache-2.0
/// Many leases end: how long does that take?  For end_leases.bats.
///
///     end_leases make N    allocate one CPU N times
///     end_leases JOB...    end these jobs as gleanerd ends leases; print how
///                          long that took, in seconds
#include <slurm/slurm.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "slurm/control.hh"

namespace {

using namespace gleaner;

int failed(std::string_view why) {
  std::fprintf(stderr, "end_leases: %.*s\n", static_cast<int>(why.size()),
               why.data());
  return 1;
}

/// Allocations without steps, as leases are while their agents start.
int make(int count) {
  for (int i = 0; i < count; ++i) {
    job_desc_msg_t wanted;
    slurm_init_job_desc_msg(&wanted);
    wanted.min_nodes = wanted.max_nodes = 1;
    wanted.num_tasks = wanted.min_cpus = 1;
    wanted.user_id = getuid();
    wanted.group_id = getgid();
    wanted.immediate = 1;
    char work_dir[] = "/";  // since 24.11 Slurm insists on one
    wanted.work_dir = work_dir;
    resource_allocation_response_msg_t* answer = nullptr;
    if (slurm_allocate_resources(&wanted, &answer) != SLURM_SUCCESS)
      return failed(slurm_strerror(errno));
    slurm_free_resource_allocation_response_msg(answer);
  }
  return 0;
}

int end_all(std::vector<JobId> const& jobs) {
  auto const control = slurm::make_slurm_control(default_config());
  auto const began = std::chrono::steady_clock::now();
  auto const done = control->end_leases(jobs);
  std::chrono::duration<double> const took =
      std::chrono::steady_clock::now() - began;
  std::printf("%.3f\n", took.count());
  return done ? 0 : failed(done.error().message);
}

}  // namespace

int main(int argc, char** argv) {
  if (auto ready = slurm::init_libslurm(); !ready)
    return failed(ready.error().message);
  if (argc == 3 && std::string_view(argv[1]) == "make")
    return make(std::atoi(argv[2]));
  std::vector<JobId> jobs;
  for (int i = 1; i < argc; ++i)
    jobs.push_back(static_cast<JobId>(std::strtoul(argv[i], nullptr, 10)));
  return end_all(jobs);
}

// SPDX-License-Identifier: Apache-2.0
/// Calls slurmctld as its users do, and says how long each call took.
///
///     slurm_calls fill COUNT PARTITION NODES MINUTES NOT_ON
///     slurm_calls submit COUNT PARTITION NODES_MIN NODES_MAX MINUTES
///     slurm_calls lease PARTITION     takes "NODE TICKET" lines from stdin
///     slurm_calls extend              takes ids of jobs from stdin
///     slurm_calls probe SECONDS PARTITION NODES
///     slurm_calls start PARTITION NODES srun|sbatch NOT_ON
///
/// `fill` allocates whole nodes, `submit` queues batch jobs of such.  `lease`
/// allocates each node with its ticket, `extend` gives jobs a longer time
/// limit.  `probe` asks for jobs, nodes and partitions and submits a job that
/// cannot start, over and over. `start` waits until a job of so many whole
/// nodes runs, and ends it.  A line "WHAT MS" for each call that is timed.
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include "slurm/compat.hh"
#include "slurm/control.hh"

namespace gleaner::bench {
namespace {

using namespace std::chrono;

constexpr auto pause_of_probe = milliseconds(100);
constexpr auto pause_of_start = milliseconds(5);
constexpr seconds start_wait_max{240};

double ms_since(steady_clock::time_point begin) {
  return duration<double, std::milli>(steady_clock::now() - begin).count();
}

void say(char const* what, double ms) {
  std::printf("%s %.3f\n", what, ms);
  std::fflush(stdout);
}

int failed(char const* doing) {
  std::fprintf(stderr, "slurm_calls: cannot %s: %s\n", doing,
               slurm_strerror(errno));
  return 1;
}

/// What Slurm's functions take as text, though they change none of it.
char* text(std::string& s) { return s.data(); }

/// A job of whole nodes, and the texts it points to.
struct Job {
  Job(std::string in_partition, std::uint32_t nodes) : partition(in_partition) {
    slurm_init_job_desc_msg(&desc);
    desc.name = text(name);
    desc.partition = text(partition);
    desc.min_nodes = desc.max_nodes = nodes;
    desc.min_cpus = nodes;
    desc.num_tasks = nodes;
    desc.shared = 0;
    desc.user_id = getuid();
    desc.group_id = getgid();
    desc.work_dir = text(directory);
    desc.script = text(script);
    desc.environment = environment;
    desc.env_size = 1;
    desc.time_limit = 60;
  }
  Job(Job const&) = delete;
  Job& operator=(Job const&) = delete;

  job_desc_msg_t desc;
  std::string partition, name = "bench", directory = "/tmp",
                         script = "#!/bin/sh\nexec sleep 86400\n",
                         path = "PATH=/usr/bin:/bin";
  char* environment[2] = {path.data(), nullptr};
};

/// Since 25.11 the id is part of a step's.
template <class Answer>
JobId job_of(Answer const& answer) {
  if constexpr (requires { answer.step_id.job_id; })
    return answer.step_id.job_id;
  else
    return answer.job_id;
}

/// The job's id; 0 when it was refused, errno says why.
JobId submit(Job& job) {
  submit_response_msg_t* answer = nullptr;
  if (slurm_submit_batch_job(&job.desc, &answer) != SLURM_SUCCESS) return 0;
  auto const id = job_of(*answer);
  slurm_free_submit_response_response_msg(answer);
  return id;
}

/// Jobs do not all have the same time limit.
class Minutes {
 public:
  explicit Minutes(int most) : range_(most / 10 + 1, most) {}
  std::uint32_t next(std::mt19937& random) {
    return static_cast<std::uint32_t>(range_(random));
  }

 private:
  std::uniform_int_distribution<int> range_;
};

int fill(int count, std::string const& partition, int nodes, int minutes,
         std::string not_on) {
  std::mt19937 random(20260101);
  for (int i = 0; i < count; ++i) {
    Job job(partition, static_cast<std::uint32_t>(nodes));
    job.desc.time_limit = Minutes(minutes).next(random);
    job.desc.script = nullptr;
    job.desc.immediate = 1;
    job.desc.exc_nodes = text(not_on);
    resource_allocation_response_msg_t* answer = nullptr;
    auto const begin = steady_clock::now();
    if (slurm_allocate_resources(&job.desc, &answer) != SLURM_SUCCESS)
      return failed("fill");
    say("fill", ms_since(begin));
    slurm_free_resource_allocation_response_msg(answer);
  }
  return 0;
}

int submit_many(int count, std::string const& partition, int nodes_min,
                int nodes_max, int minutes) {
  std::mt19937 random(20260101);
  for (int i = 0; i < count; ++i) {
    auto const nodes =
        std::uniform_int_distribution(nodes_min, nodes_max)(random);
    Job job(partition, static_cast<std::uint32_t>(nodes));
    job.desc.time_limit = Minutes(minutes).next(random);
    auto const begin = steady_clock::now();
    if (submit(job) == 0) return failed("submit");
    say("submit", ms_since(begin));
  }
  return 0;
}

int lease(std::string const& partition) {
  std::string node, ticket, reservation = "gleaner";
  while (std::cin >> node >> ticket) {
    Job job(partition, 1);
    job.desc.script = nullptr;
    job.desc.reservation = text(reservation);
    job.desc.req_nodes = text(node);
    job.desc.comment = text(ticket);
    job.desc.pn_min_memory = 0;
    job.desc.immediate = 1;
    resource_allocation_response_msg_t* answer = nullptr;
    auto const begin = steady_clock::now();
    if (slurm_allocate_resources(&job.desc, &answer) != SLURM_SUCCESS)
      return failed(("lease " + node).c_str());
    say("lease", ms_since(begin));
    slurm_free_resource_allocation_response_msg(answer);
  }
  return 0;
}

int extend() {
  JobId id = 0;
  while (std::cin >> id) {
    job_desc_msg_t update;
    slurm_init_job_desc_msg(&update);
    slurm::compat::set_job_id(&update, id);
    update.time_limit = 2880;
    auto const begin = steady_clock::now();
    if (slurm_update_job(&update) != SLURM_SUCCESS) return failed("extend");
    say("extend", ms_since(begin));
  }
  return 0;
}

template <class Message, class Load, class Free>
bool probe_one(char const* what, Load load, Free free) {
  Message* message = nullptr;
  auto const begin = steady_clock::now();
  if (load(&message) != SLURM_SUCCESS) return failed(what), false;
  say(what, ms_since(begin));
  free(message);
  return true;
}

int probe(double length_s, std::string const& partition, int nodes) {
  auto const end = steady_clock::now() + duration<double>(length_s);
  while (steady_clock::now() < end) {
    bool const loaded =
        probe_one<job_info_msg_t>(
            "jobs", [](auto** m) { return slurm_load_jobs(0, m, SHOW_ALL); },
            slurm_free_job_info_msg) &&
        probe_one<node_info_msg_t>(
            "nodes", [](auto** m) { return slurm_load_node(0, m, SHOW_ALL); },
            slurm_free_node_info_msg) &&
        probe_one<partition_info_msg_t>(
            "partitions",
            [](auto** m) { return slurm_load_partitions(0, m, SHOW_ALL); },
            slurm_free_partition_info_msg);
    if (!loaded) return 1;
    Job job(partition, static_cast<std::uint32_t>(nodes));
    auto const begin = steady_clock::now();
    auto const id = submit(job);
    if (id == 0) return failed("submit");
    say("sbatch", ms_since(begin));
    (void)slurm_kill_job(slurm::compat::job_ref(id), SIGKILL, 0);
    std::this_thread::sleep_for(pause_of_probe);
  }
  return 0;
}

bool runs(JobId id) {
  job_info_msg_t* message = nullptr;
  if (slurm_load_job(&message, slurm::compat::job_ref(id), SHOW_ALL) !=
      SLURM_SUCCESS)
    return false;
  auto const state = message->job_array[0].job_state;
  slurm_free_job_info_msg(message);
  return (state & JOB_STATE_BASE) == JOB_RUNNING;
}

int start(std::string const& partition, int nodes, std::string const& how,
          std::string not_on) {
  Job job(partition, static_cast<std::uint32_t>(nodes));
  if (!not_on.empty()) job.desc.exc_nodes = text(not_on);
  auto const begin = steady_clock::now();
  JobId id = 0;
  if (how == "sbatch") {
    id = submit(job);
  } else {
    job.desc.script = nullptr;
    resource_allocation_response_msg_t* answer = nullptr;
    if (slurm_allocate_resources(&job.desc, &answer) == SLURM_SUCCESS) {
      id = job_of(*answer);
      slurm_free_resource_allocation_response_msg(answer);
    }
  }
  if (id == 0) return failed("start");
  say("answered", ms_since(begin));
  while (!runs(id)) {
    if (steady_clock::now() - begin > start_wait_max) {
      (void)slurm_kill_job(slurm::compat::job_ref(id), SIGKILL, 0);
      std::fprintf(stderr,
                   "slurm_calls: job %u of %d nodes has not started within "
                   "%lld s\n",
                   id, nodes, static_cast<long long>(start_wait_max.count()));
      return 1;
    }
    std::this_thread::sleep_for(pause_of_start);
  }
  say("runs", ms_since(begin));
  return slurm_kill_job(slurm::compat::job_ref(id), SIGKILL, 0) == SLURM_SUCCESS
             ? 0
             : failed("end");
}

int usage() {
  std::fprintf(stderr,
               "usage: slurm_calls fill COUNT PARTITION NODES MINUTES NOT_ON\n"
               "       slurm_calls submit COUNT PARTITION NODES_MIN NODES_MAX "
               "MINUTES\n"
               "       slurm_calls lease PARTITION\n"
               "       slurm_calls extend\n"
               "       slurm_calls probe SECONDS PARTITION NODES\n"
               "       slurm_calls start PARTITION NODES srun|sbatch NOT_ON\n");
  return 2;
}

int run(int argc, char** argv) {
  std::string const what = argc > 1 ? argv[1] : "";
  if (auto done = slurm::init_libslurm(); !done) {
    std::fprintf(stderr, "slurm_calls: %s\n", done.error().message.c_str());
    return 1;
  }
  if (what == "fill" && argc == 7)
    return fill(std::atoi(argv[2]), argv[3], std::atoi(argv[4]),
                std::atoi(argv[5]), argv[6]);
  if (what == "submit" && argc == 7)
    return submit_many(std::atoi(argv[2]), argv[3], std::atoi(argv[4]),
                       std::atoi(argv[5]), std::atoi(argv[6]));
  if (what == "lease" && argc == 3) return lease(argv[2]);
  if (what == "extend" && argc == 2) return extend();
  if (what == "probe" && argc == 5)
    return probe(std::atof(argv[2]), argv[3], std::atoi(argv[4]));
  if (what == "start" && argc == 6)
    return start(argv[2], std::atoi(argv[3]), argv[4], argv[5]);
  return usage();
}

}  // namespace
}  // namespace gleaner::bench

int main(int argc, char** argv) { return gleaner::bench::run(argc, argv); }

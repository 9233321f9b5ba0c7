// SPDX-License-Identifier: Apache-2.0
/// What of a look is Gleaner's own work, once slurmctld has answered.
///
///     look_bench NODES WAITING REPETITIONS
///
/// A tenth of the nodes is leased, a twentieth idle, jobs of 100 nodes have the
/// others, WAITING jobs wait.  The functions of libslurm that ask slurmctld are
/// defined here instead and answer at once; the texts in their answers are as
/// long as a site's.  Prints {"rows": [...]}: what load() takes, and what it
/// takes to write down the change for gleanerd, in ms of the processor.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/clock.hh"
#include "proto/daemon_messages.hh"
#include "proto/frame.hh"
#include "proto/snapshot_change.hh"
#include "slurm/compat.hh"
#include "slurm/load.hh"

namespace {

/// What slurmctld would say.
struct Slurmctld {
  std::vector<node_info_t> nodes;
  std::vector<slurm_job_info_t> jobs;
  std::vector<partition_info_t> partitions;
  std::deque<std::string> texts;  ///< that records point to
  time_t now_s = 1'000'000'000;   ///< all but partitions change every second

  char* text(std::string value) {
    return texts.emplace_back(std::move(value)).data();
  }
} slurmctld;

template <class Message>
Message* message_now() {
  auto* message = static_cast<Message*>(std::calloc(1, sizeof(Message)));
  message->last_update = slurmctld.now_s;
  return message;
}

int refuse(int code) {
  errno = code;
  return SLURM_ERROR;
}

}  // namespace

extern "C" {

int slurm_load_node(time_t, node_info_msg_t** into, std::uint16_t) {
  *into = message_now<node_info_msg_t>();
  (*into)->record_count = static_cast<std::uint32_t>(slurmctld.nodes.size());
  (*into)->node_array = slurmctld.nodes.data();
  return SLURM_SUCCESS;
}

int slurm_load_jobs(time_t, job_info_msg_t** into, std::uint16_t) {
  *into = message_now<job_info_msg_t>();
  (*into)->record_count = static_cast<std::uint32_t>(slurmctld.jobs.size());
  (*into)->job_array = slurmctld.jobs.data();
  return SLURM_SUCCESS;
}

int slurm_load_partitions(time_t since, partition_info_msg_t** into,
                          std::uint16_t) {
  if (since > 0) return refuse(SLURM_NO_CHANGE_IN_DATA);
  *into = message_now<partition_info_msg_t>();
  (*into)->record_count =
      static_cast<std::uint32_t>(slurmctld.partitions.size());
  (*into)->partition_array = slurmctld.partitions.data();
  return SLURM_SUCCESS;
}

int slurm_load_reservations(time_t since, reserve_info_msg_t** into) {
  if (since > 0) return refuse(SLURM_NO_CHANGE_IN_DATA);
  *into = message_now<reserve_info_msg_t>();
  return SLURM_SUCCESS;
}

int slurm_get_statistics(stats_info_response_msg_t** into,
                         stats_info_request_msg_t*) {
  *into = static_cast<stats_info_response_msg_t*>(
      std::calloc(1, sizeof(stats_info_response_msg_t)));
  return SLURM_SUCCESS;
}

void slurm_free_node_info_msg(node_info_msg_t* message) { std::free(message); }
void slurm_free_job_info_msg(job_info_msg_t* message) { std::free(message); }
void slurm_free_partition_info_msg(partition_info_msg_t* message) {
  std::free(message);
}
void slurm_free_reservation_info_msg(reserve_info_msg_t* message) {
  std::free(message);
}
void slurm_free_stats_response_msg(stats_info_response_msg_t* message) {
  std::free(message);
}
}

namespace gleaner::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int nodes_of_job = 100;
constexpr int trainers = 10;

std::string node(int i) { return "node" + std::to_string(10001 + i); }

std::string nodes(int first, int count) {
  return "node[" + std::to_string(10001 + first) + "-" +
         std::to_string(10000 + first + count) + "]";
}

void add_node(int i, bool idle) {
  node_info_t record{};
  record.name = slurmctld.text(node(i));
  record.node_state = idle ? NODE_STATE_IDLE : NODE_STATE_ALLOCATED;
  record.cpus = record.cpus_efctv = 128;
  record.threads = 2;
  record.real_memory = 1031513;
  record.mem_spec_limit = 8192;
  record.weight = 10;
  bool const large = i % 4 == 0;
  record.gres = slurmctld.text(large ? "gpu:h100:4(S:0-1)" : "gpu:a100:4");
  record.gres_used =
      slurmctld.text(std::string(large ? "gpu:h100:" : "gpu:a100:") +
                     (idle ? "0(IDX:N/A)" : "4(IDX:0-3)"));
  record.features =
      slurmctld.text(large ? "x86_64,genoa,avx512,ib_ndr,nvme,gpu,h100,rack" +
                                 std::to_string(i / 500)
                           : "x86_64,milan,avx2,ib_hdr,gpu,a100");
  record.features_act = record.features;
  slurmctld.nodes.push_back(record);
}

slurm_job_info_t job_of(int id, char const* partition) {
  slurm_job_info_t job{};
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
  job.step_id.job_id = static_cast<std::uint32_t>(id);
#else
  job.job_id = static_cast<std::uint32_t>(id);
#endif
  job.partition = slurmctld.text(partition);
  job.name = slurmctld.text("simulate_step_" + std::to_string(id % 977));
  job.account = slurmctld.text("project" + std::to_string(id % 61));
  job.user_id = static_cast<std::uint32_t>(1000 + id % 211);
  job.priority = static_cast<std::uint32_t>(100000 - id % 5000);
  job.array_task_id = NO_VAL;
  job.num_tasks = NO_VAL;
  job.sockets_per_node = NO_VAL16;
  job.pn_min_cpus = NO_VAL16;
  job.shared = JOB_SHARED_NONE;
  job.submit_time = job.eligible_time = slurmctld.now_s - 7200 + id % 3600;
  return job;
}

void add_running(int id, int first) {
  auto job = job_of(id, "main");
  job.job_state = JOB_RUNNING;
  job.num_nodes = nodes_of_job;
  job.num_cpus = nodes_of_job * 128;
  job.pn_min_memory = 1000000;
  job.start_time = slurmctld.now_s - 3000;
  job.end_time = slurmctld.now_s + 80000;
  job.tres_per_node = slurmctld.text("gres:gpu:4");
  job.nodes = slurmctld.text(nodes(first, nodes_of_job));
  slurmctld.jobs.push_back(job);
}

void add_lease(int id, int on) {
  auto job = job_of(id, "lease");
  job.job_state = JOB_RUNNING;
  job.num_nodes = 1;
  job.num_cpus = 128;
  job.start_time = slurmctld.now_s - 300;
  job.end_time = slurmctld.now_s + 300;
  job.tres_per_node = slurmctld.text("gres:gpu:4");
  job.admin_comment =
      slurmctld.text("gleaner:lease trainer=" + std::to_string(id % trainers) +
                     " ticket=90ab12cd34ef5678");
  job.nodes = slurmctld.text(node(on));
  slurmctld.jobs.push_back(job);
}

void add_trainer(int id) {
  auto job = job_of(id, "head");
  job.job_state = JOB_RUNNING;
  job.num_nodes = 1;
  job.num_cpus = 1;
  job.admin_comment =
      slurmctld.text("gleaner:trainer nodes=1-100 lease=--gres=gpu:4");
  slurmctld.jobs.push_back(job);
}

/// Each asks for a little else, as the jobs of many users do.
void add_waiting(int id) {
  auto job = job_of(id, id % 3 ? "main" : "main,large");
  job.job_state = JOB_PENDING;
  job.state_reason = id % 7 ? WAIT_PRIORITY : WAIT_RESOURCES;
  auto const least = static_cast<int>(slurmctld.nodes.size() / 5);
  job.num_nodes = static_cast<std::uint32_t>(least + 1 + id % least);
  job.num_cpus = job.num_nodes * static_cast<std::uint32_t>(8 << id % 5);
  job.pn_min_memory =
      MEM_PER_CPU | static_cast<std::uint64_t>(2000 + 500 * (id % 4));
  job.tres_per_node = slurmctld.text("gres:gpu:" + std::to_string(1 + id % 4));
  job.cpus_per_tres = slurmctld.text("gres:gpu:16");
  if (id % 5 == 0) job.features = slurmctld.text("h100&nvme");
  if (id % 11 == 0) job.exc_nodes = slurmctld.text(nodes(id % 300, 4));
  slurmctld.jobs.push_back(job);
}

void add_partition(char const* name, std::string const& nodes, int tier) {
  partition_info_t partition{};
  partition.name = slurmctld.text(name);
  partition.nodes = slurmctld.text(nodes);
  partition.priority_tier = static_cast<std::uint16_t>(tier);
  partition.max_share = 1;
  slurmctld.partitions.push_back(partition);
}

/// The leased nodes come first, then the idle ones.
void make_cluster(int count, int waiting) {
  int const leased = count / 10, idle = count / 20;
  for (int i = 0; i < count; ++i) add_node(i, i >= leased && i < leased + idle);
  int id = 1;
  for (int t = 0; t < trainers; ++t) add_trainer(id++);
  for (int i = 0; i < leased; ++i) add_lease(id++, i);
  for (int i = leased + idle; i + nodes_of_job <= count; i += nodes_of_job)
    add_running(id++, i);
  for (int i = 0; i < waiting; ++i) add_waiting(id++);
  add_partition("lease", nodes(0, count), 1);
  add_partition("main", nodes(0, count), 10);
  add_partition("large", nodes(0, count / 2), 10);
}

/// What happens between two looks.
struct Event {
  char const* name;
  void (*happen)(int time);
};

slurm_job_info_t& waiting(int i) {
  return slurmctld
      .jobs[slurmctld.jobs.size() - 1 - static_cast<std::size_t>(i)];
}

/// On as many nodes as it needs.
void plan(slurm_job_info_t* job, int where, bool is_planned) {
  auto const count = static_cast<int>(job->num_nodes);
  auto const most = static_cast<int>(slurmctld.nodes.size()) - count;
  job->sched_nodes = nullptr;
  job->start_time = is_planned ? slurmctld.now_s + 3600 : 0;
  if (is_planned)
    job->sched_nodes = slurmctld.text(nodes(where * 37 % most, count));
}

Event const events[] = {
    {"nothing for us", [](int) {}},
    {"a node becomes idle or is taken",
     [](int time) {
       slurmctld.nodes[slurmctld.nodes.size() / 8].node_state =
           time % 2 ? NODE_STATE_IDLE : NODE_STATE_ALLOCATED;
     }},
    {"100 jobs are planned or not",
     [](int time) {
       for (int i = 0; i < 100; ++i) plan(&waiting(i), i, time % 2);
     }},
    {"100 jobs are planned elsewhere",
     [](int time) {
       for (int i = 0; i < 100; ++i) plan(&waiting(i), i + time, true);
     }},
    {"100 waiting jobs have more priority",
     [](int) {
       for (int i = 0; i < 100; ++i) waiting(i).priority += 1;
     }},
};

struct Times {
  std::vector<double> load_ms, tell_ms;
};

/// What the scavenger does at a look.
class Looker {
 public:
  Looker()
      : source_(slurm::make_slurm_source(options(), [] { return times(); })) {}

  bool look(Times* took) {
    slurmctld.now_s += 10;
    double const begin_s = thread_cpu_s();
    auto loaded = source_->load(static_cast<TimeS>(slurmctld.now_s));
    double const loaded_s = thread_cpu_s();
    if (!loaded) return false;
    if (loaded->changed && sent_) {
      auto const message = msg::to_json(
          msg::FromPlugin(proto::make_change(loaded->snapshot, *sent_)));
      bytes_ = proto::encode_frame(message).size();
    }
    if (loaded->changed) sent_ = std::move(loaded->snapshot);
    took->load_ms.push_back((loaded_s - begin_s) * 1e3);
    took->tell_ms.push_back((thread_cpu_s() - loaded_s) * 1e3);
    return true;
  }

 private:
  static slurm::TableTimes times() {
    return {slurmctld.now_s, slurmctld.now_s, 1, 1};
  }
  static slurm::SnapshotOptions options() {
    slurm::SnapshotOptions options;
    options.lease_partition = "lease";
    options.head_partition = "head";
    options.reservation = "gleaner";
    return options;
  }

  std::unique_ptr<slurm::SnapshotSource> source_;
  std::optional<Snapshot> sent_;
  std::size_t bytes_ = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(int argc, char** argv) {
  if (argc != 4 || std::atoi(argv[1]) < 1000 || std::atoi(argv[2]) < 100 ||
      std::atoi(argv[3]) < 1) {
    std::fprintf(stderr,
                 "usage: look_bench NODES WAITING REPETITIONS\n"
                 "NODES: 1000 or more, WAITING: 100 or more\n");
    return 2;
  }
  make_cluster(std::atoi(argv[1]), std::atoi(argv[2]));
  Looker looker;
  Times first;
  for (int i = 0; i < 2; ++i)  // the first one asks for no GRES in use
    if (!looker.look(&first)) return 1;
  Json rows = Json::array();
  for (auto const& event : events) {
    Times took;
    for (int i = 1; i <= std::atoi(argv[3]); ++i) {
      event.happen(i);
      if (!looker.look(&took)) return 1;
    }
    rows.push_back({{"event", event.name},
                    {"load_p50_ms", median(took.load_ms)},
                    {"tell_p50_ms", median(took.tell_ms)}});
  }
  std::printf("%s\n", Json{{"nodes", slurmctld.nodes.size()},
                           {"jobs", slurmctld.jobs.size()},
                           {"first_load_ms", first.load_ms[0]},
                           {"rows", rows}}
                          .dump(2)
                          .c_str());
  return 0;
}

}  // namespace
}  // namespace gleaner::bench

int main(int argc, char** argv) { return gleaner::bench::run(argc, argv); }

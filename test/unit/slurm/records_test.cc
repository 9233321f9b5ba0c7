// SPDX-License-Identifier: Apache-2.0
/// How Slurm's own words are read: what is usable, what is eligible.
#include "slurm/records.hh"

#include <string>
#include <utility>

#include "test/unit/catch.hh"

namespace gleaner::slurm {

namespace {

constexpr TimeS now_s = 1000;

node_info_t node(std::uint32_t state) {
  node_info_t info{};
  static char name[] = "n1";
  static char gres[] = "gpu:a100:4(S:0-1),nic:2";
  info.name = name;
  info.gres = gres;
  info.node_state = state;
  info.cpus = 8;
  info.weight = 3;
  return info;
}

slurm_job_info_t pending(std::uint32_t reason) {
  slurm_job_info_t info{};
  info.job_state = JOB_PENDING;
  info.priority = 10;
  info.eligible_time = 990;
  info.state_reason = static_cast<decltype(info.state_reason)>(reason);
  return info;
}

}  // namespace

TEST_CASE("which node states can be lent") {
  struct Row {
    char const* what;
    std::uint32_t state;
    bool usable, idle;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"idle", NODE_STATE_IDLE, true, true},
           {"allocated", NODE_STATE_ALLOCATED, true, false},
           {"planned", NODE_STATE_IDLE | NODE_STATE_PLANNED, true, true},
           {"cloud", NODE_STATE_IDLE | NODE_STATE_CLOUD, true, true},
           {"down", NODE_STATE_DOWN, false, false},
           {"future", NODE_STATE_FUTURE, false, false},
           {"drain", NODE_STATE_IDLE | NODE_STATE_DRAIN, false, false},
           {"draining", NODE_STATE_ALLOCATED | NODE_STATE_DRAIN, false, false},
           {"completing", NODE_STATE_IDLE | NODE_STATE_COMPLETING, false,
            false},
           {"reserved", NODE_STATE_IDLE | NODE_STATE_RES, false, false},
           {"maintenance", NODE_STATE_IDLE | NODE_STATE_MAINT, false, false},
           {"silent", NODE_STATE_IDLE | NODE_STATE_NO_RESPOND, false, false},
           {"off", NODE_STATE_IDLE | NODE_STATE_POWERED_DOWN, false, false},
           {"of a later release", NODE_STATE_IDLE | (1u << 31), false, false},
       }) {
    CAPTURE(row.what);
    auto const record = record_of(node(row.state));
    CHECK(record.usable == row.usable);
    CHECK(record.idle == row.idle);
    CHECK(record.cloud == (row.state & NODE_STATE_CLOUD ? true : false));
  }
}

TEST_CASE("what of a node jobs can have") {
  auto info = node(NODE_STATE_IDLE);
  info.real_memory = 16000;
  static char features[] = "old,fast";
  static char active[] = "fast";
  info.features = features;
  auto record = record_of(info);
  CHECK(record.cpus == 8);
  CHECK(record.memory_mb == 16000);
  CHECK(record.gres == "gpu:a100:4(S:0-1),nic:2");
  CHECK(record.features == "old,fast");
  CHECK(record.weight == 3);
  CHECK_FALSE(record.gres_used);
  info.cpus_efctv = 7;
  info.mem_spec_limit = 1000;
  info.features_act = active;
  static char used[] = "gpu:a100:1(IDX:0)";
  info.gres_used = used;
  record = record_of(info);
  CHECK(record.cpus == 7);
  CHECK(record.memory_mb == 15000);
  CHECK(record.features == "fast");
  CHECK(record.gres_used == "gpu:a100:1(IDX:0)");
}

namespace {

char* text(char const* words) { return const_cast<char*>(words); }

/// "2x 3cpu 100MB gpu:1 +gpu:4 whole": nodes, on each, in all.
std::string needs(slurm_job_info_t const& job) {
  auto const r = record_of(job, now_s);
  return std::to_string(r.nodes_min) + "x " + to_string(r.each) +
         (r.gres.empty() ? "" : " +" + to_string(r.gres)) +
         (r.whole ? " whole" : "") + (r.whole_memory ? " all memory" : "");
}

}  // namespace

TEST_CASE("what a job needs of each node") {
  auto job = pending(WAIT_NO_REASON);
  job.shared = JOB_SHARED_OK;
  job.num_nodes = 2;
  job.num_cpus = 5;
  job.num_tasks = NO_VAL;
  job.sockets_per_node = NO_VAL16;
  job.pn_min_memory = 100;
  CHECK(needs(job) == "2x 3 CPUs, 100 MB");
  SECTION("one CPU at least") {
    job.num_cpus = 0;
    CHECK(needs(job) == "2x 1 CPU, 100 MB");
    job.pn_min_cpus = 4;
    CHECK(needs(job) == "2x 4 CPUs, 100 MB");
  }
  SECTION("--exclusive") {
    job.shared = JOB_SHARED_NONE;
    CHECK(needs(job) == "2x 3 CPUs, 100 MB whole");
  }
  SECTION("--mem-per-cpu") {
    job.pn_min_memory = 100 | MEM_PER_CPU;
    CHECK(needs(job) == "2x 3 CPUs, 300 MB");
  }
  SECTION("--mem=0") {
    job.pn_min_memory = 0;
    CHECK(needs(job) == "2x 3 CPUs all memory");
  }
  SECTION("--gres, as 22.05 and later releases say it") {
    job.tres_per_node = text("gres:gpu:a:2,gres:nvme:1");
    CHECK(needs(job) == "2x 3 CPUs, 100 MB, gpu:a:2,nvme:1");
    job.tres_per_node = text("gres/gpu:a:2,gres/nvme:1");
    CHECK(needs(job) == "2x 3 CPUs, 100 MB, gpu:a:2,nvme:1");
  }
  SECTION("--gpus") {
    job.tres_per_job = text("gres/gpu:6");
    CHECK(needs(job) == "2x 3 CPUs, 100 MB +gpu:6");
    job.num_nodes = job.max_nodes = 1;
    CHECK(needs(job) == "1x 5 CPUs, 100 MB, gpu:6");
  }
  SECTION("--gpus-per-task") {
    job.num_tasks = 4;
    job.tres_per_task = text("cpu:2,gres/gpu:1");
    CHECK(needs(job) == "2x 3 CPUs, 100 MB +gpu:4");
  }
  SECTION("--gpus-per-socket") {
    job.sockets_per_node = 2;
    job.tres_per_socket = text("gres/gpu:b:1");
    CHECK(needs(job) == "2x 3 CPUs, 100 MB, gpu:b:2");
  }
  SECTION("--cpus-per-gpu and --mem-per-gpu") {
    job.tres_per_node = text("gres/gpu:2");
    job.cpus_per_tres = text("gres/gpu:4");
    job.mem_per_tres = text("gres/gpu:1000");
    CHECK(needs(job) == "2x 8 CPUs, 2000 MB, gpu:2");
  }
  SECTION("GRES that cannot be read are found nowhere") {
    job.tres_per_node = text("gres/gpu:a:b:2");
    CHECK(needs(job) == "2x 3 CPUs, 100 MB, unreadable:1");
  }
}

TEST_CASE("how many tasks of an array a record stands for") {
  for (auto const& [list, tasks] :
       std::initializer_list<std::pair<char const*, int>>{{"7", 1},
                                                          {"1-3", 3},
                                                          {"1-3,7", 4},
                                                          {"1-10:3", 4},
                                                          {"0-99%5", 100},
                                                          {"1-3,5-...", 4},
                                                          {"", 1},
                                                          {"x", 1}}) {
    CAPTURE(list);
    auto job = pending(WAIT_NO_REASON);
    job.array_job_id = 5;
    job.array_task_id = NO_VAL;
    job.array_task_str = text(list);
    CHECK(record_of(job, now_s).tasks == tasks);
    job.array_task_id = 3;
    CHECK(record_of(job, now_s).tasks == 1);
  }
}

TEST_CASE("a job that only waits for its --begin is dated") {
  auto job = pending(WAIT_TIME);
  job.eligible_time = 2000;
  CHECK(record_of(job, now_s).dated);
  CHECK_FALSE(record_of(job, now_s).eligible);
  job.eligible_time = now_s - 5;  // Slurm has not looked since
  CHECK(record_of(job, now_s).dated);
  CHECK_FALSE(record_of(job, now_s).eligible);
  job.state_reason = WAIT_DEPENDENCY;
  CHECK_FALSE(record_of(job, now_s).dated);
  job.state_reason = WAIT_TIME;
  job.priority = 0;
  CHECK_FALSE(record_of(job, now_s).dated);
}

TEST_CASE("which pending jobs are eligible") {
  CHECK(record_of(pending(WAIT_NO_REASON), now_s).eligible);
  CHECK(record_of(pending(WAIT_PRIORITY), now_s).eligible);
  CHECK(record_of(pending(WAIT_RESOURCES), now_s).eligible);
  CHECK(record_of(pending(WAIT_ARRAY_TASK_LIMIT), now_s).eligible);
  for (auto reason : {WAIT_DEPENDENCY, WAIT_HELD, WAIT_TIME, WAIT_LICENSES,
                      WAIT_RESERVATION, WAIT_ASSOC_MAX_JOBS}) {
    CAPTURE(reason);
    CHECK_FALSE(record_of(pending(reason), now_s).eligible);
  }
  auto held = pending(WAIT_NO_REASON);
  held.priority = 0;
  CHECK_FALSE(record_of(held, now_s).eligible);
  auto dependent = pending(WAIT_NO_REASON);
  dependent.eligible_time = 0;
  CHECK_FALSE(record_of(dependent, now_s).eligible);
  auto later = pending(WAIT_NO_REASON);
  later.eligible_time = 2000;
  CHECK_FALSE(record_of(later, now_s).eligible);
  auto running = pending(WAIT_NO_REASON);
  running.job_state = JOB_RUNNING;
  CHECK_FALSE(record_of(running, now_s).eligible);
}

TEST_CASE("which jobs still hold nodes") {
  using State = JobRecord::State;
  struct Row {
    std::uint32_t state;
    State means;
  };
  for (auto const& row : std::initializer_list<Row>{
           {JOB_PENDING, State::pending},
           {JOB_RUNNING, State::running},
           {JOB_SUSPENDED, State::suspended},
           {JOB_COMPLETE, State::over},
           {JOB_PREEMPTED, State::over},
           {JOB_CANCELLED | JOB_COMPLETING, State::completing},
           {JOB_PENDING | JOB_COMPLETING, State::completing},
       }) {
    CAPTURE(row.state);
    auto info = pending(WAIT_NO_REASON);
    info.job_state = row.state;
    static char nodes[] = "n[1-2]";
    info.nodes = nodes;
    auto const record = record_of(info, now_s);
    CHECK(record.state == row.means);
    bool const holds =
        row.means == State::running || row.means == State::suspended ||
        row.means == State::completing || row.state == JOB_PREEMPTED;
    CHECK(record.preempted == (row.state == JOB_PREEMPTED));
    CHECK(record.nodes.size() == (holds ? 2u : 0u));
  }
}

TEST_CASE("a node's record is read whole into that of another") {
  node_info_t large{}, small{};
  char a[] = "a", gres[] = "gpu:a:4", features[] = "fast,a100", b[] = "b";
  large.name = a;
  large.gres = large.gres_used = gres;
  large.features = features;
  small.name = b;
  NodeRecord record;
  read_node(large, &record);
  CHECK(record.gres_used == "gpu:a:4");
  read_node(small, &record);
  CHECK(record.name == "b");
  CHECK(record.gres.empty());
  CHECK(record.features.empty());
  CHECK(!record.gres_used);
}

}  // namespace gleaner::slurm

// SPDX-License-Identifier: Apache-2.0
/// How Slurm's own words are read: what is usable, what is eligible.
#include "slurm/records.hh"

#include "test/unit/catch.hh"

using namespace gleaner;

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
  }
}

TEST_CASE("a node's GRES are named without their sockets") {
  auto const record = record_of(node(NODE_STATE_IDLE));
  CHECK(record.gres == "gpu:a100:4,nic:2");
  CHECK(record.cpus == 8);
  CHECK(record.weight == 3);
}

TEST_CASE("how much of each node a job needs") {
  auto job = pending(WAIT_NO_REASON);
  job.shared = JOB_SHARED_OK;
  job.num_nodes = 2;
  job.num_cpus = 5;
  CHECK(record_of(job, now_s).cpus_per_node == 3);
  job.num_cpus = 0;
  CHECK(record_of(job, now_s).cpus_per_node == 1);
  job.shared = JOB_SHARED_NONE;
  CHECK(record_of(job, now_s).cpus_per_node == 0);
  job.shared = JOB_SHARED_OK;
  static char gres[] = "gres:gpu:1";
  job.tres_per_node = gres;
  CHECK(record_of(job, now_s).cpus_per_node == 0);
  job.job_state = JOB_RUNNING;
  CHECK(record_of(job, now_s).cpus_per_node == 1);
}

TEST_CASE("which pending jobs are eligible") {
  CHECK(record_of(pending(WAIT_NO_REASON), now_s).eligible);
  CHECK(record_of(pending(WAIT_PRIORITY), now_s).eligible);
  CHECK(record_of(pending(WAIT_RESOURCES), now_s).eligible);
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

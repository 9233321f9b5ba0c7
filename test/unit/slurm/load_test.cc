// SPDX-License-Identifier: Apache-2.0
/// What a source of snapshots makes of slurmctld's answers, and of their lack.
///
/// The four functions of libslurm that load.cc asks are defined here instead.
#include "slurm/load.hh"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "slurm/compat.hh"
#include "test/unit/catch.hh"

namespace {

/// What slurmctld would say.
struct Slurmctld {
  std::uint32_t nodes = 1;  ///< idle nodes n1, n2, …
  time_t nodes_changed_s = 100;
  time_t jobs_changed_s = 90;
  time_t now_s = 100;  ///< as of when answers are
  bool jobs_fail = false;
  bool job_waits = false;    ///< one, for nodes
  std::uint32_t cycles = 0;  ///< of backfill
  std::string asked;         ///< for what, in order
} slurmctld;

template <class Record>
Record* array_of(std::uint32_t count) {
  return static_cast<Record*>(std::calloc(count + 1, sizeof(Record)));
}

template <class Message>
Message* message_of(time_t update) {
  auto* message = static_cast<Message*>(std::calloc(1, sizeof(Message)));
  message->last_update = update;
  return message;
}

int refuse(int code) {
  errno = code;
  return SLURM_ERROR;
}

}  // namespace

extern "C" {

int slurm_load_node(time_t since, node_info_msg_t** into, std::uint16_t) {
  slurmctld.asked += " nodes";
  if (since > slurmctld.nodes_changed_s) return refuse(SLURM_NO_CHANGE_IN_DATA);
  auto* message = message_of<node_info_msg_t>(slurmctld.now_s);
  message->record_count = slurmctld.nodes;
  message->node_array = array_of<node_info_t>(slurmctld.nodes);
  for (std::uint32_t i = 0; i < slurmctld.nodes; ++i) {
    message->node_array[i].name = strdup(("n" + std::to_string(i + 1)).c_str());
    message->node_array[i].node_state = NODE_STATE_IDLE;
    message->node_array[i].cpus = 1;
  }
  *into = message;
  return SLURM_SUCCESS;
}

int slurm_load_jobs(time_t since, job_info_msg_t** into, std::uint16_t) {
  slurmctld.asked += " jobs";
  if (slurmctld.jobs_fail) return refuse(ETIMEDOUT);
  if (since > slurmctld.jobs_changed_s) return refuse(SLURM_NO_CHANGE_IN_DATA);
  auto* message = message_of<job_info_msg_t>(slurmctld.now_s);
  message->record_count = slurmctld.job_waits ? 1 : 0;
  message->job_array = array_of<slurm_job_info_t>(1);
  message->job_array[0].job_state = JOB_PENDING;
  message->job_array[0].eligible_time = 1;
  message->job_array[0].priority = 1;
  message->job_array[0].num_nodes = 1;
  *into = message;
  return SLURM_SUCCESS;
}

int slurm_get_statistics(stats_info_response_msg_t** into,
                         stats_info_request_msg_t*) {
  slurmctld.asked += " cycles";
  *into = static_cast<stats_info_response_msg_t*>(
      std::calloc(1, sizeof(stats_info_response_msg_t)));
  (*into)->bf_cycle_counter = slurmctld.cycles;
  return SLURM_SUCCESS;
}

int slurm_load_partitions(time_t since, partition_info_msg_t** into,
                          std::uint16_t) {
  slurmctld.asked += " partitions";
  if (since == 100) return refuse(SLURM_NO_CHANGE_IN_DATA);
  auto* message = message_of<partition_info_msg_t>(100);
  message->record_count = 1;
  message->partition_array = array_of<partition_info_t>(1);
  message->partition_array[0].name = strdup("lease");
  message->partition_array[0].nodes = strdup("n[1-4]");
  *into = message;
  return SLURM_SUCCESS;
}

int slurm_load_reservations(time_t since, reserve_info_msg_t** into) {
  slurmctld.asked += " reservations";
  if (since == 100) return refuse(SLURM_NO_CHANGE_IN_DATA);
  *into = message_of<reserve_info_msg_t>(100);
  return SLURM_SUCCESS;
}

void slurm_free_node_info_msg(node_info_msg_t* message) {
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    std::free(message->node_array[i].name);
  std::free(message->node_array);
  std::free(message);
}

void slurm_free_job_info_msg(job_info_msg_t* message) {
  std::free(message->job_array);
  std::free(message);
}

void slurm_free_stats_response_msg(stats_info_response_msg_t* message) {
  std::free(message);
}

void slurm_free_partition_info_msg(partition_info_msg_t* message) {
  std::free(message->partition_array[0].name);
  std::free(message->partition_array[0].nodes);
  std::free(message->partition_array);
  std::free(message);
}

void slurm_free_reservation_info_msg(reserve_info_msg_t* message) {
  std::free(message);
}
}

namespace gleaner::slurm {
namespace {

SnapshotOptions options() {
  SnapshotOptions o;
  o.lease_partition = "lease";
  o.head_partition = "head";
  o.reservation = "gleaner";
  return o;
}

TEST_CASE("an unchanged cluster is the same snapshot, at a later time") {
  slurmctld = {};
  auto source = make_slurm_source(options());
  auto first = source->load(1000);
  REQUIRE(first);
  CHECK(first->changed);
  CHECK(first->snapshot.holes.size() == 1);
  auto second = source->load(1001);
  REQUIRE(second);
  CHECK(!second->changed);
  CHECK(second->snapshot.time_s == 1001);
}

TEST_CASE("what changed before an answer failed is not forgotten") {
  slurmctld = {};
  auto source = make_slurm_source(options());
  REQUIRE(source->load(1000));
  slurmctld.nodes = 2;
  slurmctld.nodes_changed_s = slurmctld.now_s = 101;
  slurmctld.jobs_fail = true;
  auto failed = source->load(1001);
  REQUIRE(!failed);
  CHECK(failed.error().message.find("cannot load jobs") == 0);
  slurmctld.jobs_fail = false;
  auto next = source->load(1002);
  REQUIRE(next);
  CHECK(next->changed);
  CHECK(next->snapshot.holes.size() == 2);
}

/// A source that can read when slurmctld's tables changed last.
std::unique_ptr<SnapshotSource> knowing_source() {
  return make_slurm_source(options(), [] {
    return TableTimes{slurmctld.nodes_changed_s, slurmctld.jobs_changed_s, 50,
                      50};
  });
}

/// What is asked for in a load() at this time.
std::string asked_for(SnapshotSource* source, TimeS now_s) {
  slurmctld.asked.clear();
  REQUIRE(source->load(now_s));
  return slurmctld.asked;
}

TEST_CASE("no more is asked for than may have changed") {
  slurmctld = {};
  slurmctld.nodes_changed_s = 90;
  auto source = knowing_source();
  CHECK(source->change(1000) == Change::sure);
  CHECK(asked_for(source.get(), 1000) == " partitions reservations nodes jobs");
  SECTION("nothing") {
    CHECK(source->change(1001) == Change::none);
    CHECK(asked_for(source.get(), 1001) == "");
  }
  SECTION("a node") {
    slurmctld.now_s = slurmctld.nodes_changed_s = 101;
    CHECK(source->change(1001) == Change::sure);
    CHECK(asked_for(source.get(), 1001) == " nodes");
    CHECK(source->change(101.9) == Change::maybe);
    CHECK(source->change(102) == Change::sure);
    slurmctld.now_s = 102;
    CHECK(asked_for(source.get(), 1002) == " nodes");
    CHECK(source->change(1002) == Change::none);
  }
  SECTION("a job, and slurmctld does not answer") {
    slurmctld.jobs_changed_s = 99;
    slurmctld.jobs_fail = true;
    CHECK_FALSE(source->load(1001));
    CHECK(source->change(1001) == Change::sure);
    slurmctld.jobs_fail = false;
    CHECK(asked_for(source.get(), 1001) == " jobs");
  }
}

TEST_CASE("while jobs wait, the end of a backfill cycle is a change") {
  slurmctld = {};
  slurmctld.nodes_changed_s = 90;
  slurmctld.job_waits = true;
  auto source = knowing_source();
  REQUIRE(source->load(1000));
  CHECK(source->change(1001) == Change::maybe);
  CHECK(asked_for(source.get(), 1001) == " cycles");
  CHECK(source->change(1002) == Change::none);
  CHECK(source->change(1003) == Change::maybe);
  slurmctld.cycles = 1;
  CHECK(asked_for(source.get(), 1003) == " cycles jobs");
  CHECK(asked_for(source.get(), 1005) == " cycles");
  CHECK(asked_for(source.get(), 1006) == "");
}

TEST_CASE("what is known of waiting jobs grows no older than half a minute") {
  slurmctld = {};
  slurmctld.nodes_changed_s = 90;
  slurmctld.job_waits = true;
  auto source = knowing_source();
  REQUIRE(source->load(1000));
  REQUIRE(source->load(1028));
  CHECK(source->change(1029) == Change::none);
  CHECK(source->change(1030) == Change::sure);
  CHECK(asked_for(source.get(), 1030) == " jobs");
}

}  // namespace
}  // namespace gleaner::slurm

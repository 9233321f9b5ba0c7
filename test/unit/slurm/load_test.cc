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
  bool jobs_fail = false;
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
  if (since == slurmctld.nodes_changed_s)
    return refuse(SLURM_NO_CHANGE_IN_DATA);
  auto* message = message_of<node_info_msg_t>(slurmctld.nodes_changed_s);
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
  if (slurmctld.jobs_fail) return refuse(ETIMEDOUT);
  if (since == 100) return refuse(SLURM_NO_CHANGE_IN_DATA);
  *into = message_of<job_info_msg_t>(100);
  return SLURM_SUCCESS;
}

int slurm_load_partitions(time_t since, partition_info_msg_t** into,
                          std::uint16_t) {
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

void slurm_free_job_info_msg(job_info_msg_t* message) { std::free(message); }

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

namespace gleaner {
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
  slurmctld.nodes_changed_s = 101;
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

}  // namespace
}  // namespace gleaner

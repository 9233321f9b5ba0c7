// SPDX-License-Identifier: Apache-2.0
/// What does slurmctld answer now?  Written down for test/recorded/slurm.
///
///     record_slurm > test/recorded/slurm/CASE/answers.json
///
/// Asks the slurmctld of $SLURM_CONF for what src/slurm/load.cc asks.
#include <cstdio>
#include <ctime>
#include <exception>
#include <stdexcept>

#include "slurm/control.hh"
#include "test/recorded/slurm_fields.hh"

namespace gleaner::recorded {
namespace {

using nlohmann::ordered_json;

struct Write {
  ordered_json& into;
  void operator()(char const* name, char const* text) const {
    if (text && *text) into[name] = text;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(char const* name, Number number) const {
    if (number != 0) into[name] = number;
  }
};

template <class Record>
ordered_json fields_of(Record& record) {
  ordered_json json = ordered_json::object();
  each_field(record, Write{json});
  return json;
}

ordered_json node_of(node_info_t& node) {
  auto json = fields_of(node);
  json["state"] = state_text(node.node_state, NODE_STATE_BASE, node_state_names,
                             node_flag_names);
  Write{json}("cpus_used", slurm::compat::cpus_used(node));
  Write{json}("memory_used_mb", slurm::compat::memory_used_mb(node));
  return json;
}

ordered_json job_of(slurm_job_info_t& job) {
  auto json = fields_of(job);
  json["state"] = state_text(job.job_state, JOB_STATE_BASE, job_state_names,
                             job_flag_names);
  return json;
}

void check(int code, char const* what) {
  if (code != SLURM_SUCCESS)
    throw std::runtime_error(std::string("cannot load ") + what + " (" +
                             slurm_strerror(errno) + ")");
}

ordered_json nodes() {
  ordered_json list = ordered_json::array();
  node_info_msg_t* message = nullptr;
  check(slurm_load_node(0, &message, SHOW_ALL | SHOW_LOCAL | SHOW_DETAIL),
        "nodes");
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    if (message->node_array[i].name)
      list.push_back(node_of(message->node_array[i]));
  slurm_free_node_info_msg(message);
  return list;
}

ordered_json jobs(ordered_json* answers) {
  ordered_json list = ordered_json::array();
  job_info_msg_t* message = nullptr;
  check(slurm_load_jobs(0, &message, SHOW_ALL | SHOW_LOCAL), "jobs");
  (*answers)["last_backfill"] = message->last_backfill;
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    list.push_back(job_of(message->job_array[i]));
  slurm_free_job_info_msg(message);
  return list;
}

ordered_json partitions() {
  ordered_json list = ordered_json::array();
  partition_info_msg_t* message = nullptr;
  check(slurm_load_partitions(0, &message, SHOW_ALL | SHOW_LOCAL),
        "partitions");
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    list.push_back(fields_of(message->partition_array[i]));
  slurm_free_partition_info_msg(message);
  return list;
}

ordered_json reservations() {
  ordered_json list = ordered_json::array();
  reserve_info_msg_t* message = nullptr;
  check(slurm_load_reservations(0, &message), "reservations");
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    list.push_back(fields_of(message->reservation_array[i]));
  slurm_free_reservation_info_msg(message);
  return list;
}

/// A record a line, so that a case can be read and its changes too.
void print(ordered_json const& answers) {
  std::printf("{");
  char const* before = "\n";
  for (auto const& [key, value] : answers.items()) {
    std::printf("%s \"%s\": ", before, key.c_str());
    before = ",\n";
    if (!value.is_array()) {
      std::printf("%s", value.dump().c_str());
      continue;
    }
    std::printf("[");
    for (std::size_t i = 0; i < value.size(); ++i)
      std::printf("%s\n  %s", i ? "," : "", value[i].dump().c_str());
    std::printf("]");
  }
  std::printf("\n}\n");
}

void record() {
  if (auto const ready = slurm::init_libslurm(); !ready)
    throw std::runtime_error(ready.error().message);
  ordered_json answers;
  answers["release"] = slurm::compat::release();
  answers["time"] = std::time(nullptr);
  // In the order of load.cc, which says why nodes come before jobs.
  answers["partitions"] = partitions();
  answers["reservations"] = reservations();
  answers["nodes"] = nodes();
  answers["jobs"] = jobs(&answers);
  print(answers);
}

}  // namespace
}  // namespace gleaner::recorded

int main() {
  try {
    gleaner::recorded::record();
    return 0;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "record_slurm: %s\n", error.what());
    return 2;
  }
}

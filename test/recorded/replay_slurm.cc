// SPDX-License-Identifier: Apache-2.0
/// Which snapshot do recorded answers of slurmctld mean?
///
///     replay_slurm CASE/answers.json CASE/gleaner.yaml
///
/// The functions of libslurm that src/slurm/load.cc calls are defined here
/// instead, and answer what record_slurm wrote; all else is as in gleanerd.
/// Prints the snapshot as gleanerd is told it, a record a line.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "core/config.hh"
#include "proto/daemon_messages.hh"
#include "slurm/load.hh"
#include "test/recorded/slurm_fields.hh"

namespace gleaner::recorded {
namespace {

using nlohmann::json;

json answers;

/// As select_nodeinfo of releases before 25.05, whose contents are Slurm's own.
struct Used {
  std::uint16_t cpus = 0;
  std::uint64_t memory_mb = 0;
};

struct Read {
  json const& from;
  void operator()(char const* name, char*& text) const {
    if (from.contains(name))
      text = strdup(from.at(name).get<std::string>().c_str());
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(char const* name, Number& number) const {
    if (from.contains(name)) number = from.at(name).get<Number>();
  }
};

struct Free {
  void operator()(char const*, char*& text) const { std::free(text); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(char const*, Number&) const {}
};

template <class Message>
Message* new_message() {
  auto* message = static_cast<Message*>(std::calloc(1, sizeof(Message)));
  if (!message) std::abort();
  message->last_update = answers.at("time").get<time_t>();
  return message;
}

template <class Record>
Record* new_records(json const& list) {
  auto* records =
      static_cast<Record*>(std::calloc(list.size() + 1, sizeof(Record)));
  if (!records) std::abort();
  for (std::size_t i = 0; i < list.size(); ++i)
    each_field(records[i], Read{list[i]});
  return records;
}

template <class Record>
void free_records(Record* records, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) each_field(records[i], Free{});
  std::free(records);
}

template <class Node>
void set_used(Node& node, json const& from) {
  Used used{from.value("cpus_used", std::uint16_t{0}),
            from.value("memory_used_mb", std::uint64_t{0})};
  if constexpr (requires { node.alloc_memory; }) {
    node.alloc_cpus = used.cpus;
    node.alloc_memory = used.memory_mb;
  } else {
    auto* copy = static_cast<Used*>(std::malloc(sizeof(Used)));
    if (!copy) std::abort();
    *copy = used;
    node.select_nodeinfo = reinterpret_cast<dynamic_plugin_data_t*>(copy);
  }
}

/// Nothing changes after the first answer.
bool known(time_t since) {
  if (since == 0) return false;
  errno = SLURM_NO_CHANGE_IN_DATA;
  return true;
}

/// One record a line.
void print(json const& snapshot) {
  std::printf("{");
  char const* before = "\n";
  for (auto const& [key, value] : snapshot.items()) {
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

void replay(char const* answers_path, char const* config_path) {
  std::ifstream file(answers_path);
  answers = json::parse(file);
  auto const config = load_config(config_path);
  if (!config) throw std::runtime_error(config.error().message);
  auto source = slurm::make_slurm_source(slurm::snapshot_options(*config));
  auto const now_s = answers.at("time").get<TimeS>();
  // Details of nodes are asked for once trainings or leases were seen.
  auto loaded = source->load(now_s);
  if (loaded) loaded = source->load(now_s);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  print(msg::to_json(msg::FromPlugin(msg::Holes{loaded->snapshot, 0}))
            .at("snapshot"));
}

}  // namespace
}  // namespace gleaner::recorded

using namespace gleaner::recorded;

extern "C" {

int slurm_load_node(time_t since, node_info_msg_t** into, std::uint16_t flags) {
  if (known(since)) return SLURM_ERROR;
  auto const& list = answers.at("nodes");
  auto* message = new_message<node_info_msg_t>();
  message->record_count = static_cast<std::uint32_t>(list.size());
  message->node_array = new_records<node_info_t>(list);
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto& node = message->node_array[i];
    node.node_state = state_number(list[i].at("state").get<std::string>(),
                                   node_state_names, node_flag_names);
    set_used(node, list[i]);
    if (!(flags & SHOW_DETAIL)) {
      std::free(node.gres_used);
      node.gres_used = nullptr;
    }
  }
  *into = message;
  return SLURM_SUCCESS;
}

int slurm_load_jobs(time_t since, job_info_msg_t** into, std::uint16_t) {
  if (known(since)) return SLURM_ERROR;
  auto const& list = answers.at("jobs");
  auto* message = new_message<job_info_msg_t>();
  message->last_backfill = answers.at("last_backfill").get<time_t>();
  message->record_count = static_cast<std::uint32_t>(list.size());
  message->job_array = new_records<slurm_job_info_t>(list);
  for (std::size_t i = 0; i < list.size(); ++i)
    message->job_array[i].job_state =
        state_number(list[i].at("state").get<std::string>(), job_state_names,
                     job_flag_names);
  *into = message;
  return SLURM_SUCCESS;
}

int slurm_load_partitions(time_t since, partition_info_msg_t** into,
                          std::uint16_t) {
  if (known(since)) return SLURM_ERROR;
  auto const& list = answers.at("partitions");
  auto* message = new_message<partition_info_msg_t>();
  message->record_count = static_cast<std::uint32_t>(list.size());
  message->partition_array = new_records<partition_info_t>(list);
  *into = message;
  return SLURM_SUCCESS;
}

int slurm_load_reservations(time_t since, reserve_info_msg_t** into) {
  if (known(since)) return SLURM_ERROR;
  auto const& list = answers.at("reservations");
  auto* message = new_message<reserve_info_msg_t>();
  message->record_count = static_cast<std::uint32_t>(list.size());
  message->reservation_array = new_records<reserve_info_t>(list);
  *into = message;
  return SLURM_SUCCESS;
}

int slurm_get_statistics(stats_info_response_msg_t** into,
                         stats_info_request_msg_t*) {
  *into = static_cast<stats_info_response_msg_t*>(
      std::calloc(1, sizeof(stats_info_response_msg_t)));
  return SLURM_SUCCESS;
}

#if GLEANER_SLURM_HIDES_WHAT_NODES_USE
int slurm_get_select_nodeinfo(dynamic_plugin_data_t* info,
                              select_nodedata_type what, node_states,
                              void* into) {
  auto const* used = reinterpret_cast<Used const*>(info);
  if (what == SELECT_NODEDATA_SUBCNT)
    *static_cast<std::uint16_t*>(into) = used->cpus;
  else
    *static_cast<std::uint64_t*>(into) = used->memory_mb;
  return SLURM_SUCCESS;
}
#endif

void slurm_free_node_info_msg(node_info_msg_t* message) {
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    auto& node = message->node_array[i];
    [](auto& n) {
      if constexpr (!requires { n.alloc_memory; }) std::free(n.select_nodeinfo);
    }(node);
  }
  free_records(message->node_array, message->record_count);
  std::free(message);
}

void slurm_free_job_info_msg(job_info_msg_t* message) {
  free_records(message->job_array, message->record_count);
  std::free(message);
}

void slurm_free_partition_info_msg(partition_info_msg_t* message) {
  free_records(message->partition_array, message->record_count);
  std::free(message);
}

void slurm_free_reservation_info_msg(reserve_info_msg_t* message) {
  free_records(message->reservation_array, message->record_count);
  std::free(message);
}

void slurm_free_stats_response_msg(stats_info_response_msg_t* message) {
  std::free(message);
}
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: replay_slurm ANSWERS.json GLEANER.yaml\n");
    return 2;
  }
  try {
    replay(argv[1], argv[2]);
    return 0;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "replay_slurm: %s\n", error.what());
    return 2;
  }
}

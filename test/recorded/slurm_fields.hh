// SPDX-License-Identifier: Apache-2.0
/// Which fields of slurmctld's answers are recorded?
///
/// All that src/slurm reads, under the names of slurm.h; one table for the
/// recorder and for the replay.  A field that is 0 or NULL is left out.  States
/// are written as names, because their numbers differ between releases.
#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "slurm/compat.hh"

namespace gleaner::recorded {

/// One state or flag of Slurm.
struct Name {
  char const* name;
  std::uint32_t value;
};

inline constexpr Name node_state_names[] = {
    {"UNKNOWN", NODE_STATE_UNKNOWN}, {"DOWN", NODE_STATE_DOWN},
    {"IDLE", NODE_STATE_IDLE},       {"ALLOCATED", NODE_STATE_ALLOCATED},
    {"ERROR", NODE_STATE_ERROR},     {"MIXED", NODE_STATE_MIXED},
    {"FUTURE", NODE_STATE_FUTURE},
};
inline constexpr Name node_flag_names[] = {
    {"RESERVED", NODE_STATE_RES},
    {"CLOUD", NODE_STATE_CLOUD},
    {"DRAIN", NODE_STATE_DRAIN},
    {"COMPLETING", NODE_STATE_COMPLETING},
    {"NOT_RESPONDING", NODE_STATE_NO_RESPOND},
    {"POWERED_DOWN", NODE_STATE_POWERED_DOWN},
    {"FAIL", NODE_STATE_FAIL},
    {"POWERING_UP", NODE_STATE_POWERING_UP},
    {"MAINTENANCE", NODE_STATE_MAINT},
    {"REBOOT_REQUESTED", NODE_STATE_REBOOT_REQUESTED},
    {"REBOOT_CANCEL", NODE_STATE_REBOOT_CANCEL},
    {"POWERING_DOWN", NODE_STATE_POWERING_DOWN},
    {"PLANNED", NODE_STATE_PLANNED},
    {"INVALID_REG", NODE_STATE_INVALID_REG},
    {"DYNAMIC_NORM", NODE_STATE_DYNAMIC_NORM},
};
inline constexpr Name job_state_names[] = {
    {"PENDING", JOB_PENDING},     {"RUNNING", JOB_RUNNING},
    {"SUSPENDED", JOB_SUSPENDED}, {"COMPLETED", JOB_COMPLETE},
    {"CANCELLED", JOB_CANCELLED}, {"FAILED", JOB_FAILED},
    {"TIMEOUT", JOB_TIMEOUT},     {"NODE_FAIL", JOB_NODE_FAIL},
    {"PREEMPTED", JOB_PREEMPTED}, {"BOOT_FAIL", JOB_BOOT_FAIL},
    {"DEADLINE", JOB_DEADLINE},   {"OUT_OF_MEMORY", JOB_OOM},
};
inline constexpr Name job_flag_names[] = {
    {"COMPLETING", JOB_COMPLETING},       {"REQUEUED", JOB_REQUEUE},
    {"STAGE_OUT", JOB_STAGE_OUT},         {"REVOKED", JOB_REVOKED},
    {"RESV_DEL_HOLD", JOB_RESV_DEL_HOLD},
};

/// "IDLE+PLANNED"; a flag without a name is written as its number: "IDLE+64".
template <std::size_t S, std::size_t F>
std::string state_text(std::uint32_t state, std::uint32_t base_mask,
                       Name const (&states)[S], Name const (&flags)[F]) {
  std::string text = std::to_string(state & base_mask);
  for (auto const& base : states)
    if ((state & base_mask) == base.value) text = base.name;
  auto rest = state & ~base_mask;
  for (auto const& flag : flags)
    if (rest & flag.value) {
      text += std::string("+") + flag.name;
      rest &= ~flag.value;
    }
  return rest ? text + "+" + std::to_string(rest) : text;
}

/// The number that this release has for such a text.  Throws std::exception
/// for a name that is not in the tables.
template <std::size_t S, std::size_t F>
std::uint32_t state_number(std::string_view text, Name const (&states)[S],
                           Name const (&flags)[F]) {
  std::uint32_t state = 0;
  bool first = true;
  while (!text.empty()) {
    auto const word = text.substr(0, text.find('+'));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    auto const look = [&](auto const& names) {
      for (auto const& name : names)
        if (word == name.name) {
          state |= name.value;
          return true;
        }
      return false;
    };
    if (!(first ? look(states) : look(flags)))
      state |= static_cast<std::uint32_t>(std::stoul(std::string(word)));
    first = false;
  }
  return state;
}

/// Calls `f(name, field)` for each field; `f` reads it or sets it.
template <class F>
void each_field(node_info_t& n, F&& f) {
  f("name", n.name);
  f("weight", n.weight);
  f("threads", n.threads);
  f("cpus", n.cpus);
  f("cpus_efctv", n.cpus_efctv);
  f("real_memory", n.real_memory);
  f("mem_spec_limit", n.mem_spec_limit);
  f("gres", n.gres);
  f("gres_used", n.gres_used);
  f("features", n.features);
  f("features_act", n.features_act);
}

/// From 25.11 on the id of a job is in step_id.
template <class Job>
auto& job_id_field(Job& job) {
  if constexpr (requires { job.job_id; })
    return job.job_id;
  else
    return job.step_id.job_id;
}

template <class F>
void each_field(slurm_job_info_t& j, F&& f) {
  f("job_id", job_id_field(j));
  f("array_job_id", j.array_job_id);
  f("array_task_id", j.array_task_id);
  f("array_task_str", j.array_task_str);
  f("array_max_tasks", j.array_max_tasks);
  f("state_reason", j.state_reason);
  f("user_id", j.user_id);
  f("name", j.name);
  f("partition", j.partition);
  f("account", j.account);
  f("admin_comment", j.admin_comment);
  f("priority", j.priority);
  f("num_nodes", j.num_nodes);
  f("max_nodes", j.max_nodes);
  f("num_cpus", j.num_cpus);
  f("num_tasks", j.num_tasks);
  f("sockets_per_node", j.sockets_per_node);
  f("pn_min_cpus", j.pn_min_cpus);
  f("pn_min_memory", j.pn_min_memory);
  f("shared", j.shared);
  f("tres_per_job", j.tres_per_job);
  f("tres_per_node", j.tres_per_node);
  f("tres_per_socket", j.tres_per_socket);
  f("tres_per_task", j.tres_per_task);
  f("cpus_per_tres", j.cpus_per_tres);
  f("mem_per_tres", j.mem_per_tres);
  f("features", j.features);
  f("resv_name", j.resv_name);
  f("nodes", j.nodes);
  f("req_nodes", j.req_nodes);
  f("exc_nodes", j.exc_nodes);
  f("sched_nodes", j.sched_nodes);
  f("submit_time", j.submit_time);
  f("eligible_time", j.eligible_time);
  f("start_time", j.start_time);
  f("end_time", j.end_time);
}

template <class F>
void each_field(partition_info_t& p, F&& f) {
  f("name", p.name);
  f("nodes", p.nodes);
  f("priority_tier", p.priority_tier);
  f("flags", p.flags);
  f("max_share", p.max_share);
}

template <class F>
void each_field(reserve_info_t& r, F&& f) {
  f("name", r.name);
  f("start_time", r.start_time);
  f("node_list", r.node_list);
  f("flags", r.flags);
}

}  // namespace gleaner::recorded

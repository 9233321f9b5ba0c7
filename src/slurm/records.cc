// SPDX-License-Identifier: Apache-2.0
/// Reading Slurm's node, job, partition and reservation structures.
#include "slurm/records.hh"

#include <algorithm>

#include "slurm/job_needs.hh"

namespace gleaner::slurm {
namespace {

/// What a node may be flagged with and still take a job.  A flag that a later
/// release adds makes a node unusable to us, not lent by mistake.
constexpr std::uint32_t harmless_node_flags =
    NODE_STATE_PLANNED | NODE_STATE_CLOUD | NODE_STATE_DYNAMIC_NORM |
    NODE_STATE_REBOOT_CANCEL;

JobRecord::State state_of(slurm_job_info_t const& job) {
  using State = JobRecord::State;
  if (job.job_state & (JOB_COMPLETING | JOB_STAGE_OUT))
    return State::completing;
  switch (job.job_state & JOB_STATE_BASE) {
    case JOB_PENDING:
      return State::pending;
    case JOB_RUNNING:
      return State::running;
    case JOB_SUSPENDED:
      return State::suspended;
    default:
      return State::over;
  }
}

bool is_held(slurm_job_info_t const& job) {
  return (job.job_state & (JOB_REVOKED | JOB_RESV_DEL_HOLD)) ||
         job.priority == 0;
}

/// Does nothing but nodes, or its turn, keep this pending job from starting?
bool is_eligible(slurm_job_info_t const& job, TimeS now_s) {
  if (is_held(job)) return false;
  // 0 while a dependency is unmet; ahead of now for --begin.
  if (job.eligible_time == 0 || job.eligible_time > now_s + 1) return false;
  switch (job.state_reason) {
    case WAIT_NO_REASON:
    case WAIT_PRIORITY:
    case WAIT_RESOURCES:
    // It was full when Slurm last looked; a task may have ended since.  How
    // many may start now is counted (pending_jobs.cc).
    case WAIT_ARRAY_TASK_LIMIT:
      return true;
    default:
      return false;
  }
}

/// Does it wait for its --begin alone?  Also when that is past, until Slurm
/// looks at the job again: up to bf_interval, or a minute.
bool is_dated(slurm_job_info_t const& job, TimeS now_s) {
  if (is_held(job)) return false;
  return job.state_reason == WAIT_TIME ||
         (job.state_reason == WAIT_NO_REASON && job.eligible_time > now_s + 1);
}

/// Keeps the memory that the text before had.
void set_text(std::string* into, char const* text) {
  into->assign(text ? text : "");
}

}  // namespace

void read_node(node_info_t const& node, NodeRecord* into) {
  auto& record = *into;
  auto const base = node.node_state & NODE_STATE_BASE;
  bool const up = base == NODE_STATE_IDLE || base == NODE_STATE_ALLOCATED ||
                  base == NODE_STATE_MIXED;
  set_text(&record.name, node.name);
  record.usable =
      up && !(node.node_state & NODE_STATE_FLAGS & ~harmless_node_flags);
  record.idle = record.usable && base == NODE_STATE_IDLE;
  record.cloud = node.node_state & NODE_STATE_CLOUD;
  record.weight = node.weight;
  record.threads_per_core = std::max<int>(1, node.threads);
  record.cpus = node.cpus_efctv > 0 ? node.cpus_efctv : node.cpus;
  auto const spec_mb = std::min(node.mem_spec_limit, node.real_memory);
  record.memory_mb = static_cast<std::int64_t>(node.real_memory - spec_mb);
  set_text(&record.gres, node.gres);
  set_text(&record.features,
           node.features_act ? node.features_act : node.features);
  record.cpus_used = compat::cpus_used(node);
  record.memory_used_mb = compat::memory_used_mb(node);
  if (!node.gres_used)
    record.gres_used.reset();
  else if (record.gres_used)
    set_text(&*record.gres_used, node.gres_used);
  else
    record.gres_used = node.gres_used;
}

JobRecord record_of(slurm_job_info_t const& job, TimeS now_s,
                    TextMemory* texts) {
  auto const hosts = [texts](char const* list) {
    return list ? texts->hosts.of(list,
                                  [list](auto) { return compat::hosts(list); })
                : NodeSet();
  };
  JobRecord record;
  record.state = state_of(job);
  record.preempted = (job.job_state & JOB_STATE_BASE) == JOB_PREEMPTED;
  record.job = compat::job_id(job);
  record.uid = job.user_id;
  record.name = text_of(job.name);
  record.partition = text_of(job.partition);
  record.account = text_of(job.account);
  record.admin_comment = text_of(job.admin_comment);
  record.priority = job.priority;
  record.nodes_min = static_cast<int>(std::min(job.num_nodes, 1u << 20));
  record.array = job.array_job_id;
  record.submit_s = static_cast<TimeS>(job.submit_time);
  record.eligible_s = static_cast<TimeS>(job.eligible_time);
  record.start_s = static_cast<TimeS>(job.start_time);
  record.end_s = static_cast<TimeS>(job.end_time);
  add_needs(&record, job, texts);
  if (record.state == JobRecord::State::pending) {
    record.eligible = is_eligible(job, now_s);
    record.dated = is_dated(job, now_s);
    record.tasks = tasks_in(job);
    record.tasks_max =
        static_cast<int>(std::min(job.array_max_tasks, 1u << 20));
    record.constraint = text_of(job.features);
    record.reservation = text_of(job.resv_name);
    record.required = hosts(job.req_nodes);
    record.excluded = hosts(job.exc_nodes);
    record.planned = hosts(job.sched_nodes);
  } else if (record.state != JobRecord::State::over || record.preempted) {
    record.nodes = hosts(job.nodes);
  }
  return record;
}

PartitionRecord record_of(partition_info_t const& partition) {
  return {text_of(partition.name), compat::hosts(partition.nodes),
          partition.priority_tier,
          (partition.flags & PART_FLAG_EXCLUSIVE_USER) != 0,
          partition.max_share == 0};
}

ReservationRecord record_of(reserve_info_t const& reservation) {
  return {text_of(reservation.name), static_cast<TimeS>(reservation.start_time),
          compat::hosts(reservation.node_list),
          (reservation.flags & RESERVE_FLAG_FLEX) != 0};
}

}  // namespace gleaner::slurm

// SPDX-License-Identifier: Apache-2.0
/// Reading Slurm's node, job, partition and reservation structures.
#include "slurm/records.hh"

#include <algorithm>

namespace gleaner {
namespace {

/// What a node may be flagged with and still take a job.  A flag that a later
/// release adds makes a node unusable to us, not lent by mistake.
constexpr std::uint32_t harmless_node_flags =
    NODE_STATE_PLANNED | NODE_STATE_CLOUD | NODE_STATE_DYNAMIC_NORM |
    NODE_STATE_REBOOT_CANCEL;

/// "gpu:4(S:0-1)" -> "gpu:4"
std::string without_sockets(std::string const& gres) {
  std::string plain;
  int depth = 0;
  for (char const c : gres) {
    if (c == '(') ++depth;
    if (depth == 0) plain += c;
    if (c == ')') --depth;
  }
  return plain;
}

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

/// Does nothing but nodes, or its turn, keep this pending job from starting?
bool is_eligible(slurm_job_info_t const& job, TimeS now_s) {
  if (job.job_state & (JOB_REVOKED | JOB_RESV_DEL_HOLD)) return false;
  if (job.priority == 0) return false;  // held
  // 0 while a dependency is unmet; ahead of now for --begin.
  if (job.eligible_time == 0 || job.eligible_time > now_s + 1) return false;
  switch (job.state_reason) {
    case WAIT_NO_REASON:
    case WAIT_PRIORITY:
    case WAIT_RESOURCES:
      return true;
    default:
      return false;
  }
}

/// CPUs it needs or has on each node; 0 when it shares nodes with nobody.  Who
/// asks for GRES counts among those: which GRES are free is not known here.
int cpus_per_node(slurm_job_info_t const& job) {
  bool const whole = job.shared == JOB_SHARED_NONE;
  bool const gres = (job.tres_per_node && *job.tres_per_node) ||
                    (job.tres_per_job && *job.tres_per_job);
  if (whole || (gres && (job.job_state & JOB_STATE_BASE) == JOB_PENDING))
    return 0;
  auto const nodes = std::max<std::uint32_t>(1, job.num_nodes);
  auto const cpus = std::min(job.num_cpus, 1u << 30);
  return static_cast<int>(std::max(1u, (cpus + nodes - 1) / nodes));
}

}  // namespace

NodeRecord record_of(node_info_t const& node) {
  NodeRecord record;
  auto const base = node.node_state & NODE_STATE_BASE;
  bool const up = base == NODE_STATE_IDLE || base == NODE_STATE_ALLOCATED ||
                  base == NODE_STATE_MIXED;
  record.name = text_of(node.name);
  record.usable =
      up && !(node.node_state & NODE_STATE_FLAGS & ~harmless_node_flags);
  record.idle = record.usable && base == NODE_STATE_IDLE;
  record.weight = node.weight;
  record.cpus = node.cpus;
  record.gres = without_sockets(text_of(node.gres));
  return record;
}

JobRecord record_of(slurm_job_info_t const& job, TimeS now_s) {
  JobRecord record;
  record.state = state_of(job);
  record.preempted = (job.job_state & JOB_STATE_BASE) == JOB_PREEMPTED;
  record.job = compat::job_id(job);
  record.uid = job.user_id;
  record.name = text_of(job.name);
  record.partition = text_of(job.partition);
  record.admin_comment = text_of(job.admin_comment);
  record.priority = job.priority;
  record.nodes_min = static_cast<int>(std::min(job.num_nodes, 1u << 20));
  record.cpus_per_node = cpus_per_node(job);
  record.submit_s = static_cast<TimeS>(job.submit_time);
  record.start_s = static_cast<TimeS>(job.start_time);
  record.end_s = static_cast<TimeS>(job.end_time);
  if (record.state == JobRecord::State::pending) {
    record.eligible = is_eligible(job, now_s);
    record.required = compat::hosts(job.req_nodes);
    record.excluded = compat::hosts(job.exc_nodes);
    record.planned = compat::hosts(job.sched_nodes);
  } else if (record.state != JobRecord::State::over || record.preempted) {
    record.nodes = compat::hosts(job.nodes);
  }
  return record;
}

PartitionRecord record_of(partition_info_t const& partition) {
  return {text_of(partition.name), compat::hosts(partition.nodes)};
}

ReservationRecord record_of(reserve_info_t const& reservation) {
  return {text_of(reservation.name), static_cast<TimeS>(reservation.start_time),
          compat::hosts(reservation.node_list)};
}

}  // namespace gleaner

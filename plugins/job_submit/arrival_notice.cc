// SPDX-License-Identifier: Apache-2.0
/// Coarse, and on the job's side: when in doubt it does not wait.
#include "plugins/job_submit/arrival_notice.hh"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gleaner {
namespace {

bool is_plain(JobRequest const& request) {
  return request.is_batch && !request.is_het && !request.immediate &&
         !request.waits_otherwise && request.admin_comment.empty() &&
         request.reservation.empty();
}

bool asks_gres(JobRequest const& request) {
  return !request.tres_per_node.empty() || !request.tres_per_job.empty() ||
         !request.tres_per_socket.empty() || !request.tres_per_task.empty();
}

/// Nodes on which it might start now, of one partition.
int open_to(JobRequest const& request, FreeNodes::Partition const& partition) {
  if (request.whole_nodes) return partition.idle;
  if (asks_gres(request)) return partition.gres;
  return partition.idle + partition.partly;
}

}  // namespace

std::optional<std::int64_t> notice_until(JobRequest const& request,
                                         FreeNodes const& free,
                                         Config const& config, TimeS now) {
  if (config.arrival_notice_s == 0 || free.until_s < now) return std::nullopt;
  if (!is_plain(request)) return std::nullopt;
  int open = 0, lent = 0;
  std::string_view list = request.partition;
  do {
    auto const comma = std::min(list.find(','), list.size());
    if (auto const* partition = free.find(list.substr(0, comma))) {
      open += open_to(request, *partition);
      lent += partition->lent;
    } else {
      return std::nullopt;  // who knows what is free there
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  } while (!list.empty());
  auto const needed = static_cast<int>(request.nodes_min.value_or(1));
  if (lent == 0 || open >= needed || open + lent < needed) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(now)) + config.arrival_notice_s;
}

}  // namespace gleaner

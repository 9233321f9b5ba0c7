// SPDX-License-Identifier: Apache-2.0
/// Coarse, and on the job's side: when in doubt it does not wait.
#include "plugins/job_submit/arrival_notice.hh"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

#include "core/resources.hh"

namespace gleaner::job_submit {
namespace {

bool is_plain(JobRequest const& request) {
  return request.is_batch && !request.is_het && !request.immediate &&
         !request.waits_otherwise && request.admin_comment.empty() &&
         request.reservation.empty();
}

/// How much a job needs, in nodes or in GPUs, and how much of that there is.
struct Room {
  std::int64_t needed = 0;
  std::int64_t open = 0;   ///< without any lease being given back
  std::int64_t later = 0;  ///< once all of them are
};

/// GPUs that "gres:gpu:a:4" names; 0: none, or it cannot be read.
std::int64_t gpus_in(std::string const& tres) {
  auto const gres = parse_gres(tres);
  return gres ? count_of(*gres, "gpu") : 0;
}

std::int64_t at_least(NodesByGpus const& nodes, std::int64_t gpus) {
  auto const k = static_cast<std::size_t>(gpus);
  return k <= nodes.size() ? nodes[k - 1] : 0;
}

/// All GPUs: a node with k of them is counted k times.
std::int64_t sum_of(NodesByGpus const& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0});
}

/// Of one partition.
Room room_in(JobRequest const& request, FreeNodes::Partition const& partition) {
  std::int64_t const nodes = request.nodes_min.value_or(1);
  if (request.whole_nodes)
    return {nodes, partition.idle, partition.idle + partition.lent};
  if (auto const each = gpus_in(request.tres_per_node); each > 0)
    return {nodes, at_least(partition.gpus, each),
            at_least(partition.gpus_back, each)};
  auto all = gpus_in(request.tres_per_job);
  if (auto const each = gpus_in(request.tres_per_task); each > 0)
    all = std::max(
        all, each * request.tasks.value_or(request.nodes_min.value_or(1)));
  if (all > 0)
    return {all, sum_of(partition.gpus), sum_of(partition.gpus_back)};
  auto const open = partition.idle + partition.partly;
  return {nodes, open, open + partition.lent};
}

}  // namespace

std::optional<std::int64_t> notice_until(JobRequest const& request,
                                         FreeNodes const& free,
                                         Config const& config, TimeS now) {
  if (config.arrival_notice_s == 0 || free.notice_s <= 0 || free.until_s < now)
    return std::nullopt;
  if (!is_plain(request)) return std::nullopt;
  Room room;
  std::string_view list = request.partition;
  do {
    auto const comma = std::min(list.find(','), list.size());
    if (auto const* partition = free.find(list.substr(0, comma))) {
      auto const there = room_in(request, *partition);
      room.needed = there.needed;
      room.open += there.open;
      room.later += there.later;
    } else {
      return std::nullopt;  // who knows what is free there
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  } while (!list.empty());
  if (room.open >= room.needed || room.later < room.needed) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(now)) +
         std::min(free.notice_s, notice_s_max);
}

}  // namespace gleaner::job_submit

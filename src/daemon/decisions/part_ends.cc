// SPDX-License-Identifier: Apache-2.0
/// Going through what will happen on a node.
#include "daemon/decisions/part_ends.hh"

#include <algorithm>
#include <numeric>

namespace gleaner::daemon {
namespace {

/// The node as jobs end and begin on it.
class Outlook {
 public:
  Outlook(SharedNode const& node, Resources free,
          std::vector<PartOfNode> const& parts)
      : node_(node),
        free_(std::move(free)),
        parts_(parts),
        left_(parts.size()),
        running_(node.running.size()),
        ends_(parts.size()) {
    std::iota(left_.begin(), left_.end(), std::size_t{0});
    if (node.reserved_s)
      for (auto& end : ends_) end.end_s = node.reserved_s;
  }

  void end(NodeUse const& job) {
    free_ = plus(free_, job.each);
    --running_;
  }

  /// Could it start without any part, or with which?
  std::optional<std::vector<std::size_t>> parts_for(NodeUse const& job) const {
    if (!job.whole) return release_set(free_, present(), job.each);
    if (running_ > 0) return std::nullopt;
    std::vector<std::size_t> all(left_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  /// The job has these of the parts that are left from then on.
  void start(NodeUse const& job, std::vector<std::size_t> const& taken,
             TimeS time_s) {
    ++running_;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      auto const part = left_[i];
      if (!std::binary_search(taken.begin(), taken.end(), i)) {
        left.push_back(part);
        continue;
      }
      free_ = plus(free_, parts_[part].has);
      set_end(part, job.job, time_s);
    }
    free_ = job.whole ? Resources{} : minus(free_, job.each);
    left_ = std::move(left);
  }

  /// What it will start on cannot be told: nothing is safe.
  void end_all(JobId job, TimeS time_s) {
    for (std::size_t i = 0; i < parts_.size(); ++i) set_end(i, job, time_s);
  }

  std::vector<PartEnd> take_ends() { return std::move(ends_); }

 private:
  std::vector<PartOfNode> present() const {
    std::vector<PartOfNode> parts;
    for (auto const part : left_) parts.push_back(parts_[part]);
    return parts;
  }

  void set_end(std::size_t part, JobId job, TimeS time_s) {
    auto& end = ends_[part];
    if (!end.end_s || time_s < *end.end_s) end = {time_s, job};
  }

  SharedNode const& node_;
  Resources free_;
  std::vector<PartOfNode> const& parts_;
  std::vector<std::size_t> left_;  ///< parts that no job was given yet
  std::size_t running_;            ///< rigid jobs
  std::vector<PartEnd> ends_;
};

struct Event {
  TimeS time_s = 0;
  NodeUse const* job = nullptr;
  bool is_end = false;  ///< of a running job; else a planned start
};

/// Backfill rounds planned starts down (bf_resolution): what ends a moment
/// later is what the job waits for.
constexpr double rounding_s = 60;

/// What ends comes before what starts then.
std::vector<Event> events_of(SharedNode const& node) {
  std::vector<Event> events;
  for (auto const& job : node.running)
    if (job.time_s > 0) events.push_back({job.time_s, &job, true});
  for (auto const& job : node.planned)
    events.push_back({job.time_s, &job, false});
  auto const rank = [](Event const& event) {
    return std::pair(event.time_s + (event.is_end ? 0 : rounding_s),
                     !event.is_end);
  };
  std::stable_sort(events.begin(), events.end(),
                   [&](auto& a, auto& b) { return rank(a) < rank(b); });
  return events;
}

/// What the node has, with nothing on it.
Resources all_of(SharedNode const& node, Resources sum,
                 std::vector<PartOfNode> const& parts) {
  for (auto const& part : parts) sum = plus(sum, part.has);
  for (auto const& job : node.running) sum = plus(sum, job.each);
  return sum;
}

bool is_planned(SharedNode const& node, JobId job) {
  return std::any_of(node.planned.begin(), node.planned.end(),
                     [job](auto const& use) { return use.job == job; });
}

/// The waiting jobs that can start now that a job has ended.  The first
/// that cannot keeps nobody: Slurm backfills.
void start_waiting(Outlook* outlook, std::vector<NodeUse>* waiting,
                   TimeS time_s) {
  std::erase_if(*waiting, [&](NodeUse const& job) {
    auto const parts = outlook->parts_for(job);
    if (parts) outlook->start(job, *parts, time_s);
    return parts.has_value();
  });
}

}  // namespace

std::vector<PartEnd> part_ends(SharedNode const& node, Resources const& free,
                               std::vector<PartOfNode> const& parts,
                               std::vector<NodeUse> const& waiting) {
  Outlook outlook(node, free, parts);
  bool const changes = !node.running.empty() || !node.planned.empty();
  if (parts.empty() || !changes) return outlook.take_ends();
  // Who could start now is gleanerd's concern already (demand.hh); who is
  // planned here has an event of its own.
  auto later = waiting;
  auto const most = all_of(node, free, parts);
  std::erase_if(later, [&](NodeUse const& job) {
    return !covers(most, job.each) || is_planned(node, job.job) ||
           outlook.parts_for(job);
  });
  for (auto const& event : events_of(node)) {
    if (event.is_end) {
      outlook.end(*event.job);
      start_waiting(&outlook, &later, event.time_s);
    } else if (auto const taken = outlook.parts_for(*event.job)) {
      outlook.start(*event.job, *taken, event.time_s);
    } else {
      outlook.end_all(event.job->job, event.time_s);
    }
  }
  return outlook.take_ends();
}

}  // namespace gleaner::daemon

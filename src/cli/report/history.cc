// SPDX-License-Identifier: Apache-2.0
#include "cli/report/history.hh"

#include <algorithm>
#include <map>

#include "core/place.hh"

namespace gleaner::cli {
namespace {

/// These nodes, each followed by those of its parts that are among `seen`.
std::vector<std::string> with_parts(std::vector<std::string> const& nodes,
                                    NodeSet const& seen) {
  std::vector<std::string> rows;
  for (auto const& node : nodes) {
    rows.push_back(node);
    for (auto const& place : seen)
      if (is_part(place) && node_of(place) == node) rows.push_back(place);
  }
  return rows;
}

}  // namespace

Spans training_on(TrainerHistory const& trainer, std::string const& node) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < trainer.generations.size(); ++i) {
    auto const& generation = trainer.generations[i];
    if (!generation.nodes.contains(node)) continue;
    bool const last = i + 1 == trainer.generations.size();
    spans.push_back(
        {generation.t_s, last ? trainer.end_s.value_or(generation.t_s)
                              : trainer.generations[i + 1].t_s});
  }
  return united(std::move(spans));
}

Spans undone_in(TrainerHistory const& trainer) {
  std::vector<Span> spans;
  for (auto const& undone : trainer.undone) spans.push_back(undone.span);
  return united(std::move(spans));
}

Spans rigid_on(std::vector<RigidJob> const& jobs, std::string const& node,
               double now_s) {
  std::vector<Span> spans;
  for (auto const& job : jobs)
    if (job.start_s && job.nodes.contains(node))
      spans.push_back({*job.start_s, job.end_s.value_or(now_s)});
  return united(std::move(spans));
}

Spans leased_on(std::vector<Lease> const& leases, std::string const& node,
                JobId trainer) {
  std::vector<Span> spans;
  for (auto const& lease : leases)
    if (lease.node == node && (trainer == 0 || lease.trainer == trainer))
      spans.push_back(lease.held);
  return united(std::move(spans));
}

std::set<std::string> parted_nodes(History const& history) {
  std::set<std::string> parted;
  for (auto const& place : history.nodes)
    if (is_part(place)) parted.insert(node_of(place));
  return parted;
}

std::vector<RigidJob> without_beside(History const& history) {
  std::map<std::string, double> submits;
  for (auto const& job : history.rigid.value_or(std::vector<RigidJob>{}))
    submits[job.name] = job.submit_s;
  std::vector<double> later_s;
  for (auto const& job : history.rigid_without)
    if (auto const it = submits.find(job.name); it != submits.end())
      later_s.push_back(it->second - job.submit_s);
  if (later_s.empty()) return {};
  auto const median =
      later_s.begin() + static_cast<std::ptrdiff_t>(later_s.size() / 2);
  std::nth_element(later_s.begin(), median, later_s.end());
  auto jobs = history.rigid_without;
  for (auto& job : jobs) {
    job.submit_s += *median;
    if (job.start_s) *job.start_s += *median;
    if (job.end_s) *job.end_s += *median;
  }
  return jobs;
}

void complete(History& history) {
  double first = 1e300, last = 0;
  NodeSet nodes;
  auto const seen = [&](double t_s) {
    first = std::min(first, t_s), last = std::max(last, t_s);
  };
  for (auto const& lease : history.leases.value_or(std::vector<Lease>{})) {
    nodes.insert(lease.node);
    seen(lease.held.from_s), seen(lease.held.to_s);
  }
  for (auto const& job : history.rigid.value_or(std::vector<RigidJob>{})) {
    for (auto const& node : job.nodes) nodes.insert(node);
    seen(job.submit_s), seen(job.end_s.value_or(job.submit_s));
  }
  for (auto const& trainer : history.trainers) {
    for (auto const& generation : trainer.generations) {
      for (auto const& node : generation.nodes) nodes.insert(node);
      seen(generation.t_s);
    }
    if (trainer.end_s) seen(*trainer.end_s);
  }
  if (history.nodes.empty())
    history.nodes.assign(nodes.begin(), nodes.end());
  else
    history.nodes = with_parts(history.nodes, nodes);
  if (history.window.from_s <= 0) history.window.from_s = first;
  if (history.window.to_s <= 0) history.window.to_s = last;
}

}  // namespace gleaner::cli

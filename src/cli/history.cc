// SPDX-License-Identifier: Apache-2.0
#include "cli/history.hh"

namespace gleaner::cli {

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

}  // namespace gleaner::cli

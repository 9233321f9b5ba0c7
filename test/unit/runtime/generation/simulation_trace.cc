// SPDX-License-Identifier: Apache-2.0
/// How does a simulated history tell what happens in it, and who does nothing?
#include <iostream>

#include "simulation.hh"

namespace gleaner::generation::simulation {

void World::tell(char const* what, msg::MemberId member,
                 nlohmann::json const& json) {
  std::cerr << std::fixed << now_ << " " << what << " ";
  if (member) std::cerr << member << " ";
  std::cerr << json << "\n";
}

std::string World::idle_text() {
  auto const summary = membership_->summary();
  std::string text =
      "generation " + std::to_string(summary.generation) + " state " +
      std::to_string(static_cast<int>(summary.state)) + " recorded " +
      std::to_string(summary.step) + " now " + std::to_string(now_) +
      " budget " + std::to_string(budget_) + " members:";
  for (auto const& [id, p] : processes_) {
    if (!p->alive) continue;
    text += " [" + std::to_string(id) + " on " + p->node + " user " +
            std::to_string(static_cast<int>(p->user)) + " gen " +
            std::to_string(p->session.generation()) + " h " +
            std::to_string(p->session.complete()) +
            (p->session.full() ? " full" : "") + (p->cut ? " cut" : "") +
            (p->released ? " released" : "") + (p->hung ? " hung" : "") +
            (p->serving ? " serving" : "") + (p->fetching ? " fetching" : "") +
            (p->takeover ? " takeover" : "") + (p->frozen ? " frozen" : "") +
            (p->loops ? " loops" : "") + "]";
  }
  return text;
}

}  // namespace gleaner::generation::simulation

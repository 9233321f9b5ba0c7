// SPDX-License-Identifier: Apache-2.0
/// Which invariants hold in every simulated history, and which at its end?
#include <algorithm>

#include "simulation.hh"

namespace gleaner::generation::simulation {

// --- what was shown outside ------------------------------------------------

void World::show(nlohmann::json const& step) {
  ++counts_.steps;
  if (step["step"].get<std::size_t>() != shown_.size())
    throw Violation("steps are not recorded in order, each once");
  Positions taken;
  for (auto const& pair : step["taken"]) taken.push_back({pair[0], pair[1]});
  auto const state = lineages_.find(shown_.back().state, step["pass"], taken);
  if (!state) throw Violation("a step was recorded that nobody has");
  auto const seen = shown_.back().samples_seen + count(taken);
  if (step["samples_seen"] != seen)
    throw Violation("recorded samples do not add up");
  shown_.push_back({*state, seen, {}});
  dirty_ = true;
}

/// A training that goes on from this step shows what it logged before only if
/// that was shown already.  A member that is lost takes its values along.
void World::check_values(msg::Step until) {
  for (msg::Step step = 1; step <= until; ++step) {
    auto const& shown = shown_[step];
    auto const logged = shown.logged.find("n");
    auto seen = logged == shown.logged.end() ? 0 : logged->second;
    for (auto const& [id, samples] : made_by_[shown.state])
      if (process(id).lost) seen += samples;
    if (seen < count(lineages_.at(shown.state).positions))
      throw Violation("values of step " + std::to_string(step) +
                      " will never be shown");
  }
}

// --- always ----------------------------------------------------------------

std::vector<Process*> World::full_members() {
  std::vector<Process*> found;
  for (auto* p : watched_)
    if (p->alive && !p->cut && !p->released && p->session.full() &&
        p->state != torn)
      found.push_back(p);
  return found;
}

void World::check() {
  auto const members = full_members();
  Process const* highest = nullptr;
  for (auto const* p : members)
    if (!highest ||
        lineages_.at(p->state).step > lineages_.at(highest->state).step)
      highest = p;
  auto const recorded = static_cast<msg::Step>(shown_.size()) - 1;
  for (auto const* p : members) {
    auto const step = lineages_.at(p->state).step;
    // 1: equal h, equal state; a lower one is a prefix.
    if (lineages_.ancestor(highest->state, step) != p->state)
      throw Violation("members diverged: " + std::to_string(p->id) + " and " +
                      std::to_string(highest->id));
    // 5: what was shown is never undone.
    auto const common = std::min(step, recorded);
    if (lineages_.ancestor(p->state, common) != shown_[common].state)
      throw Violation("recorded step " + std::to_string(common) +
                      " was undone at member " + std::to_string(p->id));
    // 4: members of a generation are at most one step apart.
    if (p->session.generation() == highest->session.generation() &&
        highest->session.complete() - p->session.complete() > 1)
      throw Violation("members are more than one step apart");
  }
}

void World::check_deadlines() {
  for (auto const* p : watched_) {
    auto const node = nodes_.find(p->node);
    if (p->alive && !p->cut && node != nodes_.end() && node->second.leaving &&
        node->second.deadline_s <= now_)
      throw Violation("member " + std::to_string(p->id) +
                      " is still on a node that had to be left");
  }
}

// --- in the end ------------------------------------------------------------

/// All samples of all passes were used, or the program stopped it.
void World::check_extent() {
  auto const steps = static_cast<msg::Step>(shown_.size()) - 1;
  if (stops_after_ && steps >= *stops_after_) {
    if (steps > *stops_after_) throw Violation("steps after the program's end");
    ++counts_.stopped;
    return;
  }
  auto const& last = lineages_.at(shown_.back().state);
  auto const missing = options_.dataset_size - count(last.of_pass);
  bool const complete =
      missing == 0 || (options_.drop_last && missing < options_.global_batch);
  if (!complete || last.pass + 1 != options_.passes)
    throw Violation("the training ended without all samples");
  auto const n = options_.dataset_size,
             batch = std::uint64_t(options_.global_batch);
  auto const of_pass = options_.drop_last ? n / batch : (n + batch - 1) / batch;
  if (rules_.on_loss == OnLoss::recompute &&
      std::uint64_t(steps) != options_.passes * of_pass)
    throw Violation("a pass has more or fewer steps than its samples need");
}

void World::check_end() {
  if (!finished_) throw Violation("the history ended early: " + idle_text());
  for (auto const& [id, p] : processes_)
    if (p->alive && p->user == Process::User::waiting)
      throw Violation("a member was left waiting: " + idle_text());
  check_extent();
  check_values(static_cast<msg::Step>(shown_.size()) - 1);
  if (finish_record_["duplicate_samples"] != 0)
    throw Violation("the ledger counts samples twice");
  bool const all = !options_.drop_last && !stops_after_;
  if (finish_record_["missing_samples"] != 0 && all)
    throw Violation("the ledger misses samples");
  if (finish_record_["samples_seen"] != shown_.back().samples_seen)
    throw Violation("the ledger's samples do not add up");
}

}  // namespace gleaner::generation::simulation

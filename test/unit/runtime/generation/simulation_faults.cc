// SPDX-License-Identifier: Apache-2.0
/// What goes wrong in a simulated history, and what time brings to light.
#include <algorithm>

#include "simulation.hh"

namespace gleaner::generation::simulation {

using User = Process::User;

// --- what can go wrong -----------------------------------------------------

void World::enable_faults() {
  using Kind = Action::Kind;
  for (auto* p : watched_) enable_faults(*p);
  if (budget_ <= 0 || faults_ == Faults::none) return;
  auto const danger = this->danger();
  for (auto const& [name, node] : nodes_)
    if (!node.free) enable(Kind::kill_node, name, .003 * danger);
  for (auto* p : watched_) {
    if (!p->alive || p->cut) continue;
    auto worth = p->session.full() ? danger : .2;
    if (nodes_.count(p->node) && nodes_.at(p->node).leaving) worth *= 3;
    enable(Kind::kill, p->id, .015 * worth);
    enable(Kind::lose, p->id, .004 * worth);
    if (!p->hung) enable(Kind::hang, p->id, .002);
    if (!p->loops)
      enable(Kind::loop, p->id, p->user == User::loading ? .006 : .002);
    if (p->frozen) continue;
    enable(Kind::freeze, p->id, .004 * worth);
    if (p->reduce && p->planes.at(p->reduce->generation).members.size() > 1)
      enable(Kind::jam, p->id, .004);
    if (stands_between_steps(*p)) enable(Kind::hold, p->id, .02 * worth);
  }
  enable(Kind::jump, 0, .01);
  enable(Kind::coordinator, 0, .002);
}

/// What follows from faults, for nothing.
void World::enable_faults(Process& p) {
  using Kind = Action::Kind;
  if (!p.alive) return;
  if (p.frozen) {
    bool const for_long =
        now_ - p.frozen_s > membership_options_.failure_timeout_s;
    if (for_long && !p.cut) enable(Kind::silent, p.id, 2);
    enable(Kind::thaw, p.id, p.frozen_s > now_ ? 1 : p.cut ? .3 : .02);
  } else if (p.cut) {
    enable(Kind::come_back, p.id, .1);
  }
  // While nobody waits for its gradients, nobody but its user can judge it.
  if (p.loops) enable(Kind::end_loop, p.id, is_waited_for(p) ? .005 : .05);
  if (p.loops && idle_ > 300 && !is_waited_for(p))
    enable(Kind::end_loop, p.id, 50);
}

bool World::is_waited_for(Process const& p) const {
  return std::any_of(
      watched_.begin(), watched_.end(), [&](Process const* other) {
        return other->alive && !other->cut && other->reduce &&
               other->reducing &&
               other->reduce->generation == p.session.generation();
      });
}

/// Losses are likelier while something else is under way.
double World::danger() const {
  double factor = 1;
  msg::Step low = -1, high = -1;
  for (auto const* p : watched_) {
    if (!p->alive || p->cut) continue;
    if (p->stopping || p->serving || p->fetching || p->loading) factor = 4;
    if (p->takeover) return 20;
    if (p->step && p->step->more && p->user == Process::User::computing)
      factor = std::max(factor, 3.);
    if (!p->session.full()) continue;
    if (p->session.sampler().done()) factor = std::max(factor, 4.);
    auto const complete = p->session.complete();
    low = low < 0 ? complete : std::min(low, complete);
    high = std::max(high, complete);
  }
  return low < high ? 8 * factor : factor;
}

/// It has all of its last step, and no other has got anything of the next from
/// it yet.
bool World::stands_between_steps(Process& p) const {
  auto const step = p.session.complete();
  if (!p.session.full() || step == 0 || p.stopping || p.takeover ||
      (p.reduce && p.launched > 0))
    return false;
  auto const& last = p.buffer(step, buckets - 1);
  return last.step == step && last.sum;
}

void World::perform_fault(Action const& action) {
  using Kind = Action::Kind;
  if (action.kind == Kind::jump) {  // a slow machine: timeouts not deserved
    --budget_;
    now_ += pick(1, 40);
    beat();
    return carry_out(membership_->tick(now_));
  }
  if (action.kind == Kind::kill_node) {
    --budget_;
    for (auto& [id, p] : processes_) {
      if (p->node != action.node) continue;
      p->lost = p->lost || p->alive || !p->outbox.empty();
      if (!p->alive) continue;
      ++counts_.kills;
      p->cut = true;
      die(*p);
    }
    nodes_.erase(action.node);
    return carry_out(membership_->node_gone(now_, action.node, "node died"));
  }
  auto& p = process(action.member);
  switch (action.kind) {
    case Kind::end_seen:
      p.lost = true;
      return die(p);
    case Kind::kill:
      --budget_;
      return kill(p);
    case Kind::lose:  // alive, but not heard: it may go on for a while
      --budget_;
      return lose(p);
    case Kind::hang:
      --budget_;
      p.hung = true;
      return;
    case Kind::hold:
      --budget_;
      ++counts_.holds;
      return chance() < .5 ? kill(p) : freeze(p);
    case Kind::freeze:
      --budget_;
      return freeze(p);
    case Kind::jam:
      --budget_;
      ++counts_.jams;
      jammed_.insert(p.reduce->generation);
      return;
    case Kind::thaw:
      ++counts_.thaws;
      p.frozen = false;
      return;
    case Kind::silent:
      return lose(p);
    case Kind::come_back:
      return come_back(p);
    case Kind::loop:
      --budget_;
      p.loops = true;
      if (chance() < .3) p.busy_until_s = now_ + pick(5, 60);
      return;
    case Kind::end_loop:
      p.loops = false;
      return;
    default:
      throw Violation("the simulation has an unknown action");
  }
}

void World::kill(Process& p) {
  ++counts_.kills;
  p.lost = true;
  // What was on its way may be lost, from some message on.
  if (chance() < .5)
    p.outbox.resize(pick(0, static_cast<int>(p.outbox.size())));
  die(p);
}

void World::freeze(Process& p) {
  ++counts_.freezes;
  p.frozen = true;
  p.frozen_s = now_;
}

void World::lose(Process& p) {
  ++counts_.zombies;
  p.cut = p.lost = true;
  carry_out(membership_->member_gone(now_, p.id, "silent"));
}

/// It was given up, and lives: it must not be let in again, nor be heard.
void World::come_back(Process& p) {
  auto const before = membership_->summary();
  auto const stale =
      p.outbox.empty() ? msg::FromMember(p.heartbeat(now_)) : p.outbox.front();
  if (!std::holds_alternative<msg::MemberHello>(stale) &&
      !membership_->on_message(now_, p.id, stale).empty())
    throw Violation("a member that was given up is heard");
  auto const orders = membership_->on_message(
      now_, p.id, msg::MemberHello{p.id, p.node, 1, "", "model"});
  auto const* send = orders.size() == 1
                         ? std::get_if<membership::Send>(&orders.front())
                         : nullptr;
  if (!send || send->member != p.id ||
      !std::holds_alternative<msg::Refused>(*send->message))
    throw Violation("a member that was given up is let in again");
  auto const after = membership_->summary();
  if (after.generation != before.generation || after.members != before.members)
    throw Violation("a member that was given up changes the generation");
  ++counts_.refused;
  die(p);
}

// --- one fault at a chosen point -------------------------------------------

/// The others must not have the step before the one that is to be held has it,
/// or it not before them.
bool World::is_held_back(Process const& p, msg::Step step) const {
  if (!hold_ || hold_->step != step || p.done + 1 < buckets) return false;
  auto const& members = p.planes.at(p.reduce->generation).members;
  if (hold_->rank >= members.size()) return false;
  auto const held = members[hold_->rank];
  if (hold_->order == Hold::Order::first) return p.id != held;
  if (p.id != held) return false;
  return std::any_of(members.begin(), members.end(), [&](auto id) {
    auto const& other = *processes_.at(id);
    return id != held && other.alive && other.session.complete() < step;
  });
}

void World::hold_if_due(Process& p) {
  auto const& members = p.planes.at(p.session.generation()).members;
  if (!hold_ || p.session.complete() != hold_->step ||
      hold_->rank >= members.size() || members[hold_->rank] != p.id)
    return;
  auto const fate = std::exchange(hold_, std::nullopt)->fate;
  ++counts_.holds;
  if (fate == Hold::Fate::dies) return kill(p);
  freeze(p);
  if (fate == Hold::Fate::thaws) p.frozen_s = 1e9;  // before it is missed
}

// --- time ------------------------------------------------------------------

msg::Alive Process::heartbeat(double now) const {
  msg::Alive alive;
  bool const in_program = user == User::loading || user == User::ready ||
                          user == User::between || user == User::computing;
  alive.at = in_program ? "program" : reducing ? "reduction" : "library";
  alive.for_s = now - there_s;
  alive.step = step ? step->step : 0;
  alive.steps = steps;
  if (busy_until_s > now) {
    alive.busy = "evaluation";
    alive.busy_left_s = busy_until_s - now;
  }
  return alive;
}

/// Heartbeats.  They come at once unless other messages are before them, so
/// that a world in which nothing but time goes on is known as such.
void World::beat() {
  constexpr double interval_s = 1;
  if (finished_ || faults_ == Faults::none) return;
  auto const all = watched_;
  for (auto* p : all) {
    if (!p->alive || p->cut || p->frozen || p->user == User::loading ||
        now_ - p->beat_s < interval_s)
      continue;
    p->beat_s = now_;
    auto const message = p->heartbeat(now_);
    p->send_kept();
    if (p->outbox.empty())
      hear(p->id, message);
    else
      p->outbox.push_back(message);
  }
}

void World::count_loss(nlohmann::json const& lost) {
  auto const why = lost["why"].get<std::string>();
  auto const says = [&](char const* words) {
    return why.find(words) != std::string::npos;
  };
  counts_.never_ready += says("in time") && says("did not call");
  counts_.overdue += says("had to be left");
  counts_.not_quiet += says("become quiet");
  if (!says("it is stuck")) return;
  ++counts_.stuck;
  auto const& told = process(lost["member"]).told;
  if (told.at != "program" || told.busy_left_s > 0)
    throw Violation("a member is stuck that waits for others, or is busy");
}

}  // namespace gleaner::generation::simulation

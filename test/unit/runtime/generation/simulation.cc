// SPDX-License-Identifier: Apache-2.0
/// What can happen next in a simulated history, and which of it does?
#include "simulation.hh"

#include <utility>

namespace gleaner::generation::simulation {

World::World(std::uint64_t seed, Faults faults, Mutant mutant, ShareRules rules)
    : random_(seed),
      faults_(faults),
      mutant_(mutant),
      rules_(rules),
      budget_(0) {
  int const sizes[] = {12, 60, 97, 150};
  int const batches[] = {3, 6, 8, 10};
  options_.dataset_size = sizes[pick(0, 3)];
  options_.global_batch = batches[pick(0, 3)];
  options_.passes = pick(1, 2);
  options_.seed = seed;
  options_.drop_last = chance() < .2;  // 12 is more than any batch
  membership_options_.nodes_min = pick(1, 2);
  membership_options_.checkpoint_prefix = "c1-";
  membership_options_.checkpoint_interval_s = chance() < .3 ? 0 : .5;
  membership_options_.load_timeout_s = 50;
  membership_options_.stuck.timeout_s = 20;
  using Follow = membership::Options::Follow;
  membership_options_.follow = chance() < .6 ? Follow::on : Follow::off;
  membership_options_.follow_timeout_s = 2;
  membership_ = std::make_unique<Membership>(membership_options_);
  shown_.push_back({Lineages::initial, 0, {}});
  budget_ = pick(0, 16);
  if (chance() < .1) stops_after_ = pick(1, 20);
  counts_.histories = 1;
  for (int n = pick(1, 3); n > 0; --n) {
    auto const name = "n" + std::to_string(next_node_++);
    nodes_[name].size = pick(1, 2);
    start_members(name, nodes_[name].size);
  }
}

void World::run() {
  constexpr std::uint64_t events_max = 60000;
  while (true) {
    find_enabled();
    if (enabled_.empty()) break;
    perform(draw());
    if (std::exchange(dirty_, false)) check();
    if (++counts_.events > events_max)
      throw Violation("no end: " + idle_text());
  }
  check_end();
}

World::Action World::draw() {
  double whole = 0;
  for (auto const& action : enabled_) whole += action.weight;
  auto at = chance() * whole;
  for (auto const& action : enabled_)
    if ((at -= action.weight) < 0) return action;
  return enabled_.back();
}

void World::enable(Action::Kind kind, msg::MemberId member, double weight) {
  enabled_.push_back({kind, member, "", weight});
}

void World::enable(Action::Kind kind, std::string const& node, double weight) {
  enabled_.push_back({kind, 0, node, weight});
}

void World::find_enabled() {
  enabled_.clear();
  std::erase_if(watched_, [](Process const* p) {
    return !p->alive && (p->cut || (p->reported && p->outbox.empty()));
  });
  for (auto* p : watched_) enabled_of(*p);
  bool const idle = enabled_.empty();
  if (finished_) return;
  if (!idle) idle_ = 0;
  enabled_around();
  // Only time can help, and it must before long.
  if (idle && ++idle_ > 500) throw Violation("deadlock: " + idle_text());
  if (faults_ == Faults::all || counts_.holds > 0) enable_faults();
  enable(Action::Kind::tick, 0, idle ? 5. : .1);
}

void World::enabled_of(Process& p) {
  using Kind = Action::Kind;
  using User = Process::User;
  auto const add = [&](Kind kind, double weight) {
    enable(kind, p.id, weight);
  };
  if (!p.outbox.empty() && !p.cut) add(Kind::to_coordinator, p.from_it);
  if (!p.alive) {
    if (!p.cut && !p.reported && p.outbox.empty()) add(Kind::gone, .6);
    return;
  }
  if (p.frozen) {  // what it sent is on its way, and it can be killed
    if (p.cut || finished_) add(Kind::end_seen, .2);
    return;
  }
  if (p.cut) add(Kind::end_seen, .2);
  if (!p.inbox.empty()) add(Kind::to_member, p.to_it);
  if (p.loops)
    ;  // nothing more from the user's thread
  else if (p.user == User::loading || p.user == User::ready)
    add(Kind::user, .5);
  else if (p.user == User::between ||
           (p.user == User::computing && p.gradients == buckets))
    add(Kind::user, 2);
  else if (p.user == User::computing)
    add(Kind::gradient, 2);
  auto const on_their_way = p.reduce ? p.launched : 0;
  auto const too_many = faults_ == Faults::none ? 1 : buckets;
  if (!p.loops && p.user == User::computing && rules_.shards == 0 &&
      count(p.step->positions) > 1 && on_their_way < too_many)
    add(Kind::again, .02);
  if (p.reduce && !p.stopping && !p.spoiled && p.launched < p.gradients &&
      (p.launched == 0 || p.done > 0 || mutant_ == Mutant::early_reuse))
    add(Kind::launch, 2);
  if (can_complete(p)) add(Kind::complete, p.results);
  if (p.stopping) add(Kind::stopped, 1);
  if (!p.hung)
    for (auto const& [generation, plane] : p.planes)
      if (plane.blobs && !plane.connected) {
        add(Kind::connect, 1);
        break;
      }
  if (p.serving && p.serving->waiting.empty()) add(Kind::serve, 2);
  if (p.fetching && !p.fetching->requested) add(Kind::request, 2);
  if (!state_sources(p).empty() || has_whole_state(p)) add(Kind::stripe, 2);
  if (can_follow(p) || is_feed_over(p)) add(Kind::follow, 3);
  if (p.fetching && p.fetching->follows && !can_follow(p) && fed(p) > 0)
    add(Kind::catch_up, .5);
  if (p.takeover && process(p.takeover->what.donor.member).alive &&
      !process(p.takeover->what.donor.member).frozen)
    add(Kind::take_over, 1);
  if (!p.writing.empty()) add(Kind::write, .5);
  if (p.loading) add(Kind::load, 1);
  if (auto const weight = will_to_complain(p)) add(Kind::complain, weight);
}

void World::enabled_around() {
  using Kind = Action::Kind;
  int staying = 0;
  bool someone_leaves = false;
  for (auto const& [name, node] : nodes_) {
    if (node.free) {
      enable(Kind::gone, name, 1);
      continue;
    }
    someone_leaves = someone_leaves || node.leaving;
    if (node.leaving) continue;
    ++staying;
    int running = 0;
    for (auto const* p : watched_)
      running += p->alive && !p->cut && p->node == name;
    if (running < node.size) enable(Kind::replace, name, .3);
  }
  if (staying < membership_options_.nodes_min) enable(Kind::come, 0, .3);
  if (budget_ <= 0) return;
  if (staying < 4) enable(Kind::come, 0, someone_leaves ? .3 : .06);
  for (auto const& [name, node] : nodes_)
    if (!node.free && !node.leaving) enable(Kind::leave, name, .03);
}

void World::perform(Action const& action) {
  using Kind = Action::Kind;
  if (action.member == 0 || !processes_.count(action.member))
    return perform_outside(action);
  auto& p = process(action.member);
  switch (action.kind) {
    case Kind::to_member: {
      auto const message = p.inbox.front();
      p.inbox.pop_front();
      if (trace_) tell("<-", p.id, msg::to_json(message));
      if (auto const* blobs = std::get_if<msg::PlaneBlobs>(&message)) {
        auto const it = p.planes.find(blobs->generation);
        if (it != p.planes.end()) it->second.blobs = true;
      }
      return carry_out(p, p.session.on_message(message));
    }
    case Kind::to_coordinator: {
      auto const message = p.outbox.front();
      p.outbox.pop_front();
      if (trace_) tell("->", p.id, msg::to_json(message));
      if (mutant_ == Mutant::forgetful_rank_0 && chance() < .2 &&
          std::holds_alternative<msg::Stable>(message))
        return;
      return hear(p.id, message);
    }
    case Kind::user:
      return move_user(p);
    case Kind::gradient:
      ++p.gradients;
      return;
    case Kind::again:
      return try_again(p);
    case Kind::launch:
      return launch(p);
    case Kind::complete:
      return complete(p);
    case Kind::connect:
      return connect(p);
    case Kind::stopped:
      return stop(p);
    case Kind::serve: {
      auto const generation = p.serving->what.generation;
      p.serving.reset();
      return carry_out(p, p.session.state_served(generation));
    }
    case Kind::request:
      p.fetching->requested = true;
      return carry_out(p,
                       p.session.state_requested(p.fetching->what.generation));
    case Kind::follow:
      return follow(p);
    case Kind::catch_up:
      return carry_out(p, p.session.caught_up(p.fetching->what.generation,
                                              lineages_.at(p.state).step));
    case Kind::stripe: {
      auto const sources = state_sources(p);
      return take_state(
          p, sources.empty()
                 ? 0
                 : sources[pick(0, static_cast<int>(sources.size()) - 1)]);
    }
    case Kind::take_over:
      return take_over(p);
    case Kind::write:
      return write(p);
    case Kind::load:
      return load(p);
    case Kind::complain:
      return complain(p);
    default:
      return perform_outside(action);
  }
}

void World::perform_outside(Action const& action) {
  using Kind = Action::Kind;
  if (trace_ && action.kind != Kind::tick)
    tell("event", action.member,
         {{"kind", static_cast<int>(action.kind)}, {"node", action.node}});
  switch (action.kind) {
    case Kind::tick: {
      now_ += idle_ > 0 ? .5 : .05;
      beat();
      carry_out(membership_->tick(now_));
      return check_deadlines();
    }
    case Kind::gone: {
      if (action.member) {
        process(action.member).reported = true;
        process(action.member).cut = true;
        return carry_out(
            membership_->member_gone(now_, action.member, "connection reset"));
      }
      nodes_.erase(action.node);
      return carry_out(
          membership_->node_gone(now_, action.node, "lease ended"));
    }
    case Kind::leave: {
      --budget_;
      nodes_.at(action.node).leaving = true;
      double const within[] = {.3, 5, 60, 1e9};
      auto const soonest = faults_ == Faults::none ? 2 : 0;
      auto const deadline = now_ + within[pick(soonest, 3)];
      nodes_.at(action.node).deadline_s = deadline;
      return carry_out(
          membership_->leave_node(now_, action.node, deadline, "reclaim"));
    }
    case Kind::come: {
      if (budget_ > 0) --budget_;
      auto const name = "n" + std::to_string(next_node_++);
      nodes_[name].size = pick(1, 2);
      return start_members(name, nodes_[name].size);
    }
    case Kind::replace:
      ++counts_.replaced;
      return start_members(action.node, 1);
    case Kind::coordinator:
      return replace_coordinator();
    default:
      return perform_fault(action);
  }
}

}  // namespace gleaner::generation::simulation

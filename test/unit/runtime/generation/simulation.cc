// SPDX-License-Identifier: Apache-2.0
/// What can happen next in a simulated history, and what the coordinator does.
#include "simulation.hh"

#include <algorithm>
#include <iostream>

namespace gleaner::simulation {

void Counts::add(Counts const& o) {
  histories += o.histories, events += o.events, kills += o.kills;
  zombies += o.zombies, switches += o.switches, takeovers += o.takeovers;
  redone += o.redone, short_steps += o.short_steps;
  recoveries += o.recoveries, parks += o.parks, rollbacks += o.rollbacks;
  withdrawals += o.withdrawals, late_withdrawals += o.late_withdrawals;
  resets += o.resets, checkpoints += o.checkpoints, steps += o.steps;
  replaced += o.replaced, complaints += o.complaints;
  coordinators += o.coordinators, shares += o.shares;
  followed += o.followed, fed += o.fed;
  lost_again += o.lost_again;
  holds += o.holds, freezes += o.freezes, thaws += o.thaws;
  refused += o.refused, stuck += o.stuck, never_ready += o.never_ready;
  overdue += o.overdue, not_quiet += o.not_quiet, withdrawn += o.withdrawn;
  foretold += o.foretold, jams += o.jams;
}

std::string Counts::text() const {
  auto const item = [](char const* name, std::uint64_t n) {
    return " " + std::string(name) + "=" + std::to_string(n);
  };
  return "histories=" + std::to_string(histories) + item("events", events) +
         item("steps", steps) + item("kills", kills) +
         item("zombies", zombies) + item("recoveries", recoveries) +
         item("switches", switches) + item("takeovers", takeovers) +
         item("redone", redone) + item("short_steps", short_steps) +
         item("parks", parks) + item("rollbacks", rollbacks) +
         item("withdrawals", withdrawals) +
         item("late_withdrawals", late_withdrawals) + item("resets", resets) +
         item("checkpoints", checkpoints) + item("replaced", replaced) +
         item("complaints", complaints) + item("coordinators", coordinators) +
         item("shares", shares) + item("lost_again", lost_again) +
         item("holds", holds) + item("freezes", freezes) +
         item("thaws", thaws) + item("refused", refused) +
         item("stuck", stuck) + item("never_ready", never_ready) +
         item("overdue", overdue) + item("not_quiet", not_quiet) +
         item("withdrawn", withdrawn) + item("foretold", foretold) +
         item("jams", jams) + item("followed", followed) + item("fed", fed);
}

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
  if (p.reduce && !p.stopping && p.launched < p.gradients &&
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

// --- the coordinator -------------------------------------------------------

void World::hear(msg::MemberId member, msg::FromMember const& message) {
  counts_.late_withdrawals += std::holds_alternative<msg::Agreed>(message);
  counts_.withdrawn += std::holds_alternative<msg::Withdrawn>(message);
  if (auto const* alive = std::get_if<msg::Alive>(&message))
    process(member).told = *alive;
  carry_out(membership_->on_message(now_, member, message));
}

void World::start_members(std::string const& node, int n) {
  std::vector<msg::MemberId> ids;
  for (; n > 0; --n) {
    ids.push_back(next_id_);
    auto p = std::make_unique<Process>(next_id_, node, options_, rules_);
    for (auto* weight : {&p->from_it, &p->to_it, &p->results})
      if (chance() < .2) *weight = .4;
    watched_.push_back(p.get());
    processes_[next_id_] = std::move(p);
    ++next_id_;
  }
  carry_out(membership_->add_members(now_, node, ids));
}

/// The batch job ended, and was started again.
void World::replace_coordinator() {
  --budget_;
  ++counts_.coordinators;
  for (auto& [id, p] : processes_) {
    p->cut = true;
    die(*p);
  }
  nodes_.clear();
  collectives_.clear();
  jammed_.clear();
  msg::Step step = 0;
  if (latest_.empty()) {
    membership_options_.start_from.reset();
  } else {
    step = files_.at(latest_).step;
    membership_options_.start_from =
        membership::Checkpoint{latest_, step, shown_[step].samples_seen};
  }
  shown_.resize(step + 1);
  membership_options_.checkpoint_prefix =
      "c" + std::to_string(++coordinators_) + "-";
  membership_ = std::make_unique<Membership>(membership_options_);
}

void World::die(Process& p) {
  if (!p.alive) return;
  p.alive = false;
  dirty_ = true;
  while (!p.planes.empty()) leave_plane(p, p.planes.begin()->first);
}

void World::carry_out(Membership::Orders const& orders) {
  for (auto const& order : orders)
    std::visit([&](auto const& o) { on(o); }, order);
}

void World::on(membership::Send const& order) {
  auto const it = processes_.find(order.member);
  if (it == processes_.end() || it->second->cut) return;
  auto& p = *it->second;
  if (std::holds_alternative<msg::Release>(order.message) ||
      std::holds_alternative<msg::Refused>(order.message))
    p.released = true;
  if (auto const* resume = std::get_if<msg::Resume>(&order.message)) {
    counts_.lost_again += resume->plan && resume->plan->gone.size() > 1;
    for (auto const& member : resume->members)
      if (!process(member.member).session.full())
        throw Violation("a member without proven state is to be a source");
  }
  if (std::holds_alternative<msg::Quiesce>(order.message)) ++counts_.recoveries;
  if (std::holds_alternative<msg::Withdraw>(order.message))
    ++counts_.withdrawals;
  if (std::holds_alternative<msg::Reset>(order.message)) ++counts_.resets;
  p.inbox.push_back(order.message);
}

void World::on(membership::Kill const& order) {
  auto const it = processes_.find(order.member);
  if (it == processes_.end()) return;
  it->second->cut = true;
  // With its agent frozen too, or cut off, it outlives the order.
  if (it->second->frozen && chance() < .5) return;
  die(*it->second);
}

void World::on(membership::NodeFree const& order) {
  auto& node = nodes_.at(order.node);
  if (!node.leaving || node.free)
    throw Violation("node " + order.node + " was freed, unasked or again");
  for (auto const& [id, p] : processes_)
    if (p->node == order.node && p->alive && !p->cut)
      throw Violation("node " + order.node + " was freed with a live member");
  node.free = true;
}

void World::on(membership::Register const& order) {
  auto const it = files_.find(order.path);
  if (it == files_.end())
    throw Violation("a checkpoint that does not exist was registered");
  auto const step = it->second.step;
  if (step >= static_cast<msg::Step>(shown_.size()) ||
      shown_[step].state != it->second.state)
    throw Violation("checkpoint of step " + std::to_string(step) +
                    " is not of the recorded training");
  for (auto const& path : order.superseded)
    if (path != order.path) files_.erase(path);
  latest_ = order.path;
  ++counts_.checkpoints;
}

void World::on(membership::TrainingFinished const& order) {
  finished_ = true;
  if (order.step != static_cast<msg::Step>(shown_.size()) - 1)
    throw Violation("finished at a step that is not the last recorded");
}

void World::on(membership::Record const& order) {
  auto const& f = order.fields;
  if (trace_) tell(order.event.c_str(), 0, f);
  if (order.event == "step") {
    show(f);
  } else if (order.event == "log") {
    auto const step = f["step"].get<std::size_t>();
    if (step >= shown_.size()) throw Violation("a value of an undone step");
    auto& n = shown_[step].logged[f["key"]];
    n += f["n"].get<std::uint64_t>();
    if (n > count(lineages_.at(shown_[step].state).positions))
      throw Violation("values of step " + std::to_string(step) +
                      " count samples twice");
  } else if (order.event == "rollback") {
    ++counts_.rollbacks;
    auto const step = f["to_step"].get<std::size_t>();
    if (step >= shown_.size()) throw Violation("rollback to the future");
    if (!full_members().empty())
      throw Violation("rollback although a member has the state");
    if (f["samples_seen"] != shown_[step].samples_seen)
      throw Violation("rollback with a wrong number of samples");
    shown_.resize(step + 1);
  } else if (order.event == "generation") {
    auto const kind = f["kind"].get<std::string>();
    counts_.parks += kind == "park";
    counts_.switches += kind == "expand" || kind == "shrink" || kind == "mixed";
  } else if (order.event == "member_lost") {
    count_loss(f);
  } else if (order.event == "finish") {
    finish_record_ = f;
  } else if (order.event == "error") {
    auto const what = f["what"].get<std::string>();
    if (what.find("not reported") != std::string::npos)
      throw Violation("unreported steps: " + what);
  }
}

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

}  // namespace gleaner::simulation

// SPDX-License-Identifier: Apache-2.0
/// What becomes of the orders of a simulated training's Membership, and what
/// does its coordinator hear?
#include <memory>
#include <utility>

#include "simulation.hh"

namespace gleaner::generation::simulation {

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
    auto const limited = rules_.shards == 0 && chance() < .3;
    auto const micro_batch_max = limited ? pick(1, 4) : 0;
    auto p = std::make_unique<Process>(next_id_, node, options_, rules_,
                                       micro_batch_max);
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
  check_values(latest_.empty() ? 0 : files_.at(latest_).step);
  for (auto& [id, p] : processes_) {
    p->cut = p->lost = true;
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
  if (std::holds_alternative<msg::Release>(*order.message) ||
      std::holds_alternative<msg::Refused>(*order.message))
    p.released = true;
  if (auto const* resume = std::get_if<msg::Resume>(&*order.message)) {
    counts_.lost_again += resume->plan && resume->plan->gone.size() > 1;
    for (auto const& member : resume->members)
      if (!process(member.member).session.full())
        throw Violation("a member without proven state is to be a source");
  }
  if (std::holds_alternative<msg::Quiesce>(*order.message))
    ++counts_.recoveries;
  if (std::holds_alternative<msg::Withdraw>(*order.message))
    ++counts_.withdrawals;
  if (std::holds_alternative<msg::Reset>(*order.message)) ++counts_.resets;
  p.inbox.push_back(*order.message);
}

void World::on(membership::Kill const& order) {
  auto const it = processes_.find(order.member);
  if (it == processes_.end()) return;
  it->second->cut = it->second->lost = true;
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
  check_values(step);
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
    auto const [logged, once] =
        shown_[step].logged.emplace(f["key"], f["n"].get<std::uint64_t>());
    if (!once)
      throw Violation("a value of step " + std::to_string(step) +
                      " is shown twice");
    if (logged->second > count(lineages_.at(shown_[step].state).positions))
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

}  // namespace gleaner::generation::simulation

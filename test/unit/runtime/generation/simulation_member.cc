// SPDX-License-Identifier: Apache-2.0
/// What does a simulated member's program do with what its Session tells it?
#include <utility>

#include "simulation.hh"

namespace gleaner::generation::simulation {

using User = Process::User;

void World::carry_out(Process& p, Session::Actions const& actions) {
  for (auto const& action : actions)
    std::visit([&](auto const& a) { on(p, a); }, action);
}

Session::Actions World::checked(Result<Session::Actions> result) {
  if (!result) throw Violation("session refused: " + result.error().message);
  return *result;
}

// --- the user's thread -----------------------------------------------------

void World::move_user(Process& p) {
  switch (p.user) {
    case User::loading:
      p.go_to(User::ready, now_);
      p.outbox.push_back(msg::MemberHello{p.id, p.node, 1, "", "model"});
      return;
    case User::ready: {
      p.go_to(User::starting, now_);
      msg::Loaded loaded;
      loaded.member = p.id;
      loaded.schema = "s";
      loaded.dataset_size = options_.dataset_size;
      loaded.loads_ahead = static_cast<std::uint32_t>(pick(0, 3));
      loaded.fingerprint = p.id % 20 == 0 ? "other" : "usual";
      p.outbox.push_back(loaded);
      return carry_out(p, p.session.want_start());
    }
    case User::between:
      p.go_to(User::waiting, now_);
      return carry_out(p, p.session.want_step());
    case User::computing:
      p.session.log("n", 1, count(p.step->positions));
      p.go_to(User::waiting, now_);
      p.reducing = true;
      return carry_out(p, p.session.want_reduction());
    default:
      throw Violation("the simulation moved a user that waits");
  }
}

/// No memory: its part is to be computed in halves.
void World::try_again(Process& p) {
  auto const half = (count(p.step->positions) + 1) / 2;
  bool const on_its_way = p.reduce && p.launched > 0;
  auto const actions = p.session.want_again(half);
  if (!actions) {
    if (p.session.complete() < p.step->step)
      throw Violation("a step cannot be computed again, without a reason");
    return;
  }
  ++counts_.tried_again;
  counts_.spoiled += on_its_way;
  p.micro_batch_max = half;
  p.spoiled = on_its_way;
  if (!on_its_way) p.reduce.reset();
  p.go_to(User::waiting, now_);
  p.reducing = true;
  carry_out(p, *actions);
}

void World::on(Process& p, session::BeginsSoon const&) {
  auto const first = p.session.foresee(1);
  p.foretold.reset();
  if (first) p.foretold = first->positions;
}

void World::on(Process& p, session::Started const&) {
  if (p.user != User::starting) throw Violation("Started, but not waited for");
  release_user(p, User::between);
}

/// It may be at work inside a call: then it must not be let go.
void World::release_user(Process& p, User to) {
  if (p.serving || p.fetching || p.loading)
    throw Violation("the user's thread is let go while it moves state");
  p.go_to(to, now_);
}

void World::on(Process& p, session::BeginStep const& action) {
  if (p.user != User::waiting) throw Violation("BeginStep, but not waited for");
  if (p.state == torn) throw Violation("a step begins with a torn state");
  if (lineages_.at(p.state).step != action.step - 1)
    throw Violation("a step begins with the state of another");
  if (auto const foretold = std::exchange(p.foretold, std::nullopt)) {
    ++counts_.foretold;
    if (*foretold != action.positions)
      throw Violation("a joiner begins with another share than foretold");
  }
  if (action.more && (!p.step || p.step->step != action.step))
    throw Violation("another share of a step that was not begun");
  if (p.reduce || p.spoiled)
    throw Violation("a share is added to gradients that are being reduced");
  if (p.micro_batch_max && count(action.positions) > p.micro_batch_max)
    throw Violation("a part is larger than this member can compute");
  release_user(p, User::computing);
  p.step = action;
  p.gradients = 0;
  if (!action.more) {
    p.gradient = {p.state, action.positions, 1, 0};
    return;
  }
  ++counts_.shares;
  counts_.parts += p.micro_batch_max > 0;
  if (p.gradient.state != p.state)
    throw Violation("shares of one step are computed with different states");
  if (mutant_ != Mutant::skipped_share)
    p.gradient.positions = merged(p.gradient.positions, action.positions);
}

void World::on(Process& p, session::ApplyReduction const& action) {
  if (p.user != User::waiting) throw Violation("apply, but not waited for");
  if (!p.step || p.step->step != action.step)
    throw Violation("a step is applied that was not begun");
  Sum whole;
  for (int bucket = 0; bucket < buckets; ++bucket) {
    auto const& buffer = p.buffer(action.step, bucket);
    if (buffer.step != action.step || !buffer.sum)
      throw Violation("torn reduction applied");
    if (bucket == 0) whole = *buffer.sum;
    if (whole.size() != buffer.sum->size() ||
        !std::equal(whole.begin(), whole.end(), buffer.sum->begin(),
                    [](auto const& a, auto const& b) {
                      return a.first == b.first &&
                             a.second.positions == b.second.positions;
                    }))
      throw Violation("buckets of one step are sums over different members");
  }
  Positions positions;
  for (auto const& [id, part] : whole) {
    if (part.state != p.state)
      throw Violation("gradient of another state applied");
    positions = merged(positions, part.positions);
  }
  auto const samples = double(count(positions));
  if (action.scale != double(p.step->global_batch) / samples)
    throw Violation("gradients are scaled wrongly");
  bool const is_short = samples < double(p.step->global_batch);
  counts_.short_steps += is_short;
  if (is_short && rules_.on_loss == OnLoss::recompute)
    throw Violation("a step lacks the shares of those that were lost");
  p.state =
      lineages_.after(p.state, action.step, p.step->pass, positions, options_);
  for (auto const& [id, part] : whole)
    made_by_[p.state][id] = count(part.positions);
  release_user(p, User::between);
  if (stops_after_ == action.step) p.session.stop();
  ++p.steps;
  dirty_ = true;
}

void World::on(Process& p, session::Leave const&) {
  p.send_kept();
  release_user(p, User::between);
  die(p);
}

void World::on(Process& p, session::Done const&) {
  p.send_kept();
  release_user(p, User::between);
  die(p);
}

}  // namespace gleaner::generation::simulation

// SPDX-License-Identifier: Apache-2.0
/// How do a simulated member's messages, planes and reductions behave?
#include "simulation.hh"

namespace gleaner::generation::simulation {

// --- messages and planes ---------------------------------------------------

void Process::send_kept() {
  if (!kept.values.empty()) outbox.push_back(std::exchange(kept, {}));
}

void World::on(Process& p, session::Send const& action) {
  auto message = action.message;
  if (auto* status = std::get_if<msg::Status>(&message);
      status && mutant_ == Mutant::joiner_as_source && p.state != torn &&
      p.session.complete() > 0)
    status->full = true;
  if (auto const* logged = std::get_if<msg::LogValues>(&message)) {
    p.kept.values.insert(p.kept.values.end(), logged->values.begin(),
                         logged->values.end());
    return;
  }
  if (!std::holds_alternative<msg::Stable>(message)) p.send_kept();
  p.outbox.push_back(message);
  auto const* switched = std::get_if<msg::Switched>(&message);
  if (switched && mutant_ == Mutant::hasty_leaver &&
      p.session.generation() != switched->generation &&
      membership_->summary().members.size() > 1) {
    p.reported = true;  // nobody is told
    p.cut = p.outbox.empty();
    die(p);
  }
}

void World::on(Process& p, session::ConnectPlane const& action) {
  p.foretold.reset();
  auto& plane = p.planes[action.generation];
  for (auto const& member : action.members)
    plane.members.push_back(member.member);
  if (!p.hung)
    p.outbox.push_back(msg::PlaneBlob{action.generation, "address", "x"});
}

void World::connect(Process& p) {
  for (auto& [generation, plane] : p.planes) {
    if (!plane.blobs || plane.connected || plane.broken) continue;
    plane.connected = true;
    return carry_out(p, p.session.plane_connected(generation));
  }
}

void World::leave_plane(Process& p, msg::Generation generation) {
  if (!p.planes.erase(generation)) return;
  // What others have not got yet of its contributions may be lost.
  for (auto it = collectives_.lower_bound({generation, 0, 0});
       it != collectives_.end() && std::get<0>(it->first) == generation; ++it)
    for (auto const& [id, contribution] : it->second.sum)
      if (chance() < .5) it->second.damaged.insert(id);
}

void World::on(Process& p, session::DropPlane const& action) {
  if (p.reduce && p.reduce->generation == action.generation) p.reduce.reset();
  if (p.serving && p.serving->what.generation == action.generation)
    p.serving.reset();
  if (p.fetching && p.fetching->what.generation == action.generation)
    p.fetching.reset();
  if (p.feeding && p.feeding->what.generation == action.generation)
    p.feeding.reset();
  leave_plane(p, action.generation);
}

void World::on(Process& p, session::StopPlanes const&) {
  if (p.stopping) throw Violation("planes are stopped twice at a time");
  p.stopping = true;
}

void World::stop(Process& p) {
  p.stopping = p.spoiled = false;
  p.reduce.reset();
  p.serving.reset();
  p.fetching.reset();
  p.feeding.reset();
  p.takeover.reset();
  p.loading.reset();
  while (!p.planes.empty()) leave_plane(p, p.planes.begin()->first);
  carry_out(p, p.session.plane_stopped());
}

/// Something that this process waits for does not come: known with certainty
/// when another is gone, believed wrongly now and then.
double World::will_to_complain(Process& p) {
  constexpr double rightly = .2;
  if (faults_ == Faults::none || p.stopping) return 0;
  bool const waits = p.reduce || p.fetching || p.takeover || !p.planes.empty();
  if (!waits) return 0;
  auto const wrongly = budget_ > 0 ? .0004 : 0;
  if (p.takeover)
    return process(p.takeover->what.donor.member).alive ? wrongly : rightly;
  if (!p.reduce) return wrongly;
  auto const it = p.planes.find(p.reduce->generation);
  if (it == p.planes.end() || it->second.broken) return wrongly;
  for (auto const id : it->second.members)
    if (!process(id).planes.count(p.reduce->generation)) return rightly;
  return wrongly;
}

void World::complain(Process& p) {
  ++counts_.complaints;
  if (budget_ > 0) --budget_;
  auto generation = p.reduce ? p.reduce->generation : msg::Generation{0};
  if (p.takeover) generation = p.takeover->what.generation;
  if (p.fetching) generation = p.fetching->what.generation;
  if (generation == 0) generation = p.planes.begin()->first;
  p.fetching.reset();
  p.takeover.reset();
  if (auto const it = p.planes.find(generation); it != p.planes.end())
    it->second.broken = true;
  carry_out(p, p.session.failed(generation, "the other end is gone"));
}

// --- the reduction ---------------------------------------------------------

void World::on(Process& p, session::Reduce const& action) {
  if (!p.step || p.step->step != action.step)
    throw Violation("reduction of a step that was not begun");
  auto const plane = p.planes.find(action.generation);
  if (plane == p.planes.end() || !plane->second.connected ||
      p.step->step != action.step)
    throw Violation("reduction in a plane that is not connected");
  counts_.redone += p.buffer(action.step, 0).step == action.step;
  p.reduce = action;
  p.launched = p.done = 0;
  if (p.reducing) p.there_s = now_;  // only from now on others can be late
}

void World::launch(Process& p) {
  auto const bucket = p.launched;
  auto const [generation, step] = *p.reduce;
  auto contribution = p.gradient;
  if (bucket == 0) {
    auto const words = p.session.first_bucket_words(generation, step);
    if (!words) {
      p.reduce.reset();
      return;
    }
    contribution.not_ready = words->not_ready;
    contribution.samples = words->samples;
  }
  // Everybody who gets this far has all of the step before the last.
  if (bucket == 0)
    collectives_.erase(collectives_.lower_bound({generation, 0, 0}),
                       collectives_.lower_bound({generation, step - 1, 0}));
  auto& buffer = p.buffer(step, bucket);
  bool const again = mutant_ == Mutant::mixed_buckets && buffer.step == step &&
                     buffer.sum && bucket > 0;
  if (!again) buffer = {step, std::nullopt};
  collectives_[{generation, step, bucket}].sum[p.id] = contribution;
  ++p.launched;
}

bool World::can_complete(Process& p) {
  if (!p.reduce || p.done == p.launched) return false;
  auto const [generation, step] = *p.reduce;
  auto const plane = p.planes.find(generation);
  if (plane == p.planes.end() || plane->second.broken) return false;
  if (jammed_.count(generation) || is_held_back(p, step)) return false;
  auto const it = collectives_.find({generation, step, p.done});
  return it != collectives_.end() &&
         it->second.sum.size() == plane->second.members.size() &&
         !it->second.damaged.count(p.id);
}

void World::complete(Process& p) {
  auto const [generation, step] = *p.reduce;
  auto const bucket = p.done++;
  auto const& sum = collectives_.at({generation, step, bucket}).sum;
  auto& buffer = p.buffer(step, bucket);
  if (!buffer.sum) buffer.sum = sum;
  if (bucket == 0) {
    std::uint64_t not_ready = 0, samples = 0;
    for (auto const& [id, part] : sum) {
      not_ready += part.not_ready;
      samples += part.samples;
    }
    carry_out(p, checked(p.session.first_bucket_done(generation, step,
                                                     not_ready, samples)));
  }
  if (p.reduce && p.done == buckets) {
    p.reduce.reset();
    feed(p, step, sum);
    carry_out(p, p.session.reduction_done(generation, step, {.01, .005}));
    if (hold_) hold_if_due(p);
    if (mutant_ == Mutant::early_stable) report_early(p);
  }
}

void World::report_early(Process& p) {
  auto const& first = p.buffer(p.session.complete(), 0);
  if (!first.sum || first.step != p.session.complete() ||
      first.sum->begin()->first != p.id)
    return;
  msg::Stable report;
  report.generation = p.session.generation();
  report.step = first.step;
  report.pass = p.session.sampler().pass();
  report.samples_seen = p.session.sampler().samples_seen();
  for (auto const& [id, part] : *first.sum)
    report.taken = merged(report.taken, part.positions);
  p.outbox.push_back(report);
}

}  // namespace gleaner::generation::simulation

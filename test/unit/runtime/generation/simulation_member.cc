// SPDX-License-Identifier: Apache-2.0
/// What a simulated member's process does around its Session.
#include <algorithm>

#include "simulation.hh"

namespace gleaner::simulation {

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
  if (action.more && p.reduce)
    throw Violation("a share is added to gradients that are being reduced");
  release_user(p, User::computing);
  p.step = action;
  p.gradients = 0;
  if (!action.more) {
    p.gradient = {p.state, action.positions, 1, 0};
    return;
  }
  ++counts_.shares;
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
  release_user(p, User::between);
  ++p.steps;
  dirty_ = true;
}

void World::on(Process& p, session::Leave const&) {
  release_user(p, User::between);
  die(p);
}

void World::on(Process& p, session::Done const&) {
  release_user(p, User::between);
  die(p);
}

// --- messages and planes ---------------------------------------------------

void World::on(Process& p, session::Send const& action) {
  auto message = action.message;
  if (auto* status = std::get_if<msg::Status>(&message);
      status && mutant_ == Mutant::joiner_as_source && p.state != torn &&
      p.session.complete() > 0)
    status->full = true;
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
  p.stopping = false;
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

// --- state moves -----------------------------------------------------------

void World::on(Process& p, session::ServeState const& action) {
  if (p.user == User::between || p.user == User::computing)
    throw Violation("state is served while the user's thread runs");
  if (p.state == torn || lineages_.at(p.state).step != action.step)
    throw Violation("the state served is not that of the step");
  p.serving = Process::Serving{action, p.state, {}};
  p.serving->waiting.insert(action.joiners.begin(), action.joiners.end());
}

void World::on(Process& p, session::FetchState const& action) {
  if (p.user == User::between || p.user == User::computing)
    throw Violation("state is fetched while the user's thread runs");
  p.fetching = Process::Fetching{action, false, false, 0, {}, torn, ""};
}

std::size_t Process::Fetching::pieces() const {
  return std::count_if(
      what.donors.begin(), what.donors.end(),
      [&](auto const& donor) { return from.count(donor.member) != 0; });
}

/// A donor notices that a joiner is gone, and goes on.  A joiner relays what
/// it has, and after its death nothing.
bool World::can_take_from(Process& p, msg::MemberId source) {
  auto const& fetching = *p.fetching;
  if (source == p.id || fetching.from.count(source)) return false;
  auto& other = process(source);
  auto const generation = fetching.what.generation;
  if (!other.alive || other.frozen) return false;
  if (other.serving && other.serving->what.generation == generation)
    return other.serving->waiting.count(p.id) != 0;
  if (other.feeding && other.feeding->what.generation == generation)
    return other.feeding->state != torn;
  return other.fetching && other.fetching->what.generation == generation &&
         other.fetching->pieces() == other.fetching->what.donors.size();
}

std::vector<msg::MemberId> World::state_sources(Process& p) {
  std::vector<msg::MemberId> found;
  if (!p.fetching || !p.fetching->requested) return found;
  for (auto const* group :
       {&p.fetching->what.donors, &p.fetching->what.joiners})
    for (auto const& source : *group)
      if (can_take_from(p, source.member)) found.push_back(source.member);
  return found;
}

/// All is here, and every joiner that is alive has got this one's portion.
bool World::has_whole_state(Process& p) {
  if (!p.fetching || p.fetching->follows) return false;
  auto const& what = p.fetching->what;
  if (p.fetching->from.size() + 1 < what.donors.size() + what.joiners.size())
    return false;
  for (auto const& joiner : what.joiners) {
    auto const& other = process(joiner.member);
    if (joiner.member != p.id && other.alive && other.fetching &&
        other.fetching->what.generation == what.generation &&
        !other.fetching->from.count(p.id))
      return false;
  }
  return true;
}

void World::take_state(Process& p, msg::MemberId from) {
  if (from != 0) {
    auto& source = process(from);
    if (source.serving || source.feeding)
      take_piece(p, source);
    else
      take_portion(p, source);
    p.fetching->from.insert(from);
    p.state = torn;
    return;
  }
  if (p.fetching->what.follow) {
    p.fetching->follows = true;
    p.state = p.fetching->state;
    return;
  }
  auto const fetched = *std::exchange(p.fetching, std::nullopt);
  p.state = fetched.state;
  dirty_ = true;
  carry_out(p, checked(p.session.state_received(fetched.what.generation,
                                                fetched.header)));
}

void World::take_piece(Process& p, Process& donor) {
  auto& fetching = *p.fetching;
  auto const& donors = fetching.what.donors;
  bool const fed = donor.feeding.has_value();
  if (fed != fetching.what.follow)
    throw Violation("donor and joiner disagree on following");
  auto const stripe =
      fed ? donor.feeding->what.stripe : donor.serving->what.stripe;
  auto const stripes =
      fed ? donor.feeding->what.stripes : donor.serving->what.stripes;
  auto const state = fed ? donor.feeding->state : donor.serving->state;
  if (stripes != donors.size() || donors[stripe].member != donor.id)
    throw Violation("donor and joiner disagree on stripes");
  if (!fed && donor.state != state)
    throw Violation("state changed while it was served");
  auto const sent = mutant_ == Mutant::late_snapshot ? donor.state : state;
  if (fetching.state == torn) fetching.state = sent;
  if (fetching.state != sent)
    throw Violation("stripes are of different states");
  if (fed) return;
  if (stripe == 0) fetching.header = donor.serving->what.header;
  donor.serving->waiting.erase(p.id);
}

void World::take_portion(Process& p, Process& joiner) {
  auto& fetching = *p.fetching;
  if (fetching.state == torn) fetching.state = joiner.fetching->state;
  if (fetching.state != joiner.fetching->state)
    throw Violation("portions are of different states");
}

// --- joiners that follow ---------------------------------------------------

void World::on(Process& p, session::PrepareFeed const& action) {
  p.feeding = Process::Feeding{action};
}

void World::on(Process& p, session::Feed const& action) {
  if (!p.feeding || p.feeding->what.generation != action.generation)
    throw Violation("joiners are fed that nothing was prepared for");
  if (p.user == User::between || p.user == User::computing)
    throw Violation("the state is fed while the user's thread changes it");
  if (p.state == torn || lineages_.at(p.state).step != action.step)
    throw Violation("the state fed is not that of the step");
  p.feeding->state = p.state;
}

void World::on(Process& p, session::EndFeed const& action) {
  if (!p.feeding || p.feeding->what.generation != action.generation)
    throw Violation("a feed ends that did not begin");
  if (lineages_.at(p.state).step != action.step)
    throw Violation("a feed ends with another step");
  p.feeding->end = action.header;
}

void World::feed(Process& p, msg::Step step, Sum const& sum) {
  if (!p.feeding || p.feeding->state == torn || p.feeding->end || !p.step)
    return;
  if (mutant_ == Mutant::missed_reduction && chance() < .2) return;
  Positions positions;
  for (auto const& [id, part] : sum)
    positions = merged(positions, part.positions);
  p.feeding->reductions.push_back(
      {step, p.step->pass, positions, sum.begin()->second.state});
}

/// Reductions that all donors have fed to this joiner.
std::size_t World::fed(Process& p) {
  std::size_t least = SIZE_MAX;
  for (auto const& address : p.fetching->what.donors) {
    auto& donor = process(address.member);
    bool const feeds =
        donor.alive && donor.feeding &&
        donor.feeding->what.generation == p.fetching->what.generation;
    least = std::min(least, feeds ? donor.feeding->reductions.size() : 0);
  }
  return least;
}

bool World::can_follow(Process& p) {
  return p.fetching && p.fetching->follows && p.fetching->applied < fed(p);
}

bool World::is_feed_over(Process& p) {
  if (!p.fetching || !p.fetching->follows) return false;
  for (auto const& address : p.fetching->what.donors) {
    auto& donor = process(address.member);
    if (!donor.alive || !donor.feeding || !donor.feeding->end ||
        donor.feeding->what.generation != p.fetching->what.generation ||
        donor.feeding->reductions.size() != p.fetching->applied)
      return false;
  }
  return true;
}

void World::follow(Process& p) {
  auto const& donors = p.fetching->what.donors;
  if (!can_follow(p)) {
    auto const header = *process(donors.front().member).feeding->end;
    auto const generation = p.fetching->what.generation;
    p.fetching.reset();
    ++counts_.followed;
    dirty_ = true;
    return carry_out(p, checked(p.session.state_received(generation, header)));
  }
  auto const n = p.fetching->applied++;
  auto const reduction = process(donors.front().member).feeding->reductions[n];
  for (auto const& address : donors)
    if (process(address.member).feeding->reductions[n] != reduction)
      throw Violation("parts of different reductions are fed");
  if (reduction.before != p.state)
    throw Violation("a joiner applies a reduction to another state");
  ++counts_.fed;
  p.state = lineages_.after(p.state, reduction.step, reduction.pass,
                            reduction.positions, options_);
}

void World::on(Process& p, session::FetchReduction const& action) {
  p.takeover = Process::Takeover{action, {}};
}

void World::take_over(Process& p) {
  auto& takeover = *p.takeover;
  auto const [generation, step, address] = takeover.what;
  auto& donor = process(address.member);
  auto const& buffer =
      donor.buffer(step, static_cast<int>(takeover.sums.size()));
  if (buffer.step != step || !buffer.sum)
    throw Violation("the donor no longer has the reduction");
  takeover.sums.push_back(*buffer.sum);
  auto const enough =
      mutant_ == Mutant::torn_takeover ? std::size_t{1} : std::size_t{buckets};
  if (takeover.sums.size() < enough) return;
  for (std::size_t bucket = 0; bucket < takeover.sums.size(); ++bucket)
    p.buffer(step, static_cast<int>(bucket)) = {step, takeover.sums[bucket]};
  p.takeover.reset();
  ++counts_.takeovers;
  carry_out(p, p.session.reduction_fetched(generation));
}

// --- checkpoints -----------------------------------------------------------

void World::on(Process& p, session::WriteCheckpoint const& action) {
  if (p.user == User::between || p.user == User::computing)
    throw Violation("state is copied while the user's thread runs");
  if (p.state == torn || lineages_.at(p.state).step != action.step)
    throw Violation("a checkpoint is not of its step");
  p.writing.push_back({action, p.state});
}

void World::write(Process& p) {
  auto const [what, state] = p.writing.front();
  p.writing.erase(p.writing.begin());
  if (faults_ == Faults::all && budget_ > 0 && chance() < .1) {
    --budget_;
    return carry_out(p, p.session.checkpoint_failed(what.path, "disk full"));
  }
  files_[what.path] = {state, what.header, what.step};
  carry_out(p, p.session.checkpoint_written(what.path, 1));
}

void World::on(Process& p, session::LoadCheckpoint const& action) {
  if (!files_.count(action.path))
    throw Violation("a checkpoint that does not exist is loaded");
  if (action.path != latest_)
    throw Violation("a checkpoint is loaded that is not the latest");
  p.loading = action;
}

void World::load(Process& p) {
  auto const [generation, path] = *p.loading;
  p.loading.reset();
  p.state = torn;
  if (faults_ == Faults::all && budget_ > 0 && chance() < .1) {
    --budget_;
    return carry_out(p, p.session.checkpoint_failed(path, "unreadable"));
  }
  auto const& file = files_.at(path);
  p.state = file.state;
  carry_out(p, checked(p.session.checkpoint_loaded(generation, file.header)));
}

}  // namespace gleaner::simulation

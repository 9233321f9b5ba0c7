// SPDX-License-Identifier: Apache-2.0
/// A simulated member's state: how it is sent, followed, saved and loaded.
#include <algorithm>

#include "simulation.hh"

namespace gleaner::generation::simulation {

using User = Process::User;

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
  // It may still feed those of the generation before.
  bool const fed = donor.feeding &&
                   donor.feeding->what.generation == fetching.what.generation;
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
  if (buffer.step != step || !buffer.sum) {
    // Who was given up, and has heard of it late, asks for what is gone.
    if (p.cut) return die(p);
    throw Violation("the donor no longer has the reduction");
  }
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

}  // namespace gleaner::generation::simulation

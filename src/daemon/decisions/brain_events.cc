// SPDX-License-Identifier: Apache-2.0
/// How snapshots and coordinators' messages change what gleanerd knows.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/lease_template.hh"
#include "core/place.hh"
#include "daemon/decisions/brain.hh"
#include "daemon/decisions/importance.hh"
#include "daemon/decisions/pace_message.hh"
#include "profile/agreement.hh"

namespace gleaner::daemon {
namespace {

constexpr double hold_margin_s = 10;  ///< for leases to end, and a long cycle
/// For how long a node whose lease has gone is taken to be free in a moment.  A
/// lease completes, in a snapshot, too, as long as its Epilog runs; but nodes
/// and jobs are read one after the other.  After that another job has got the
/// node.
constexpr double closing_s_max = 0.5;
constexpr std::size_t stalls_kept = 1000;
constexpr std::size_t why_bytes_max = 200;

/// Only words of ours go into the journal.
std::string known_cause(std::string const& cause) {
  for (auto word : {"released", "lost", "finished"})
    if (cause == word) return cause;
  return "left";
}

/// Believe that an agent runs there; but not without bound.
void note_agent(TrainerEntry* trainer, std::string const& node) {
  auto const most = static_cast<std::size_t>(trainer->base.nodes_max) * 2 + 16;
  if (trainer->agents.size() < most) trainer->agents.insert(node);
}

}  // namespace

Brain::Brain(Config config, std::function<std::string()> make_nonce)
    : make_nonce_(std::move(make_nonce)),
      demand_(config.arrival_hold_s),
      leases_(config.agent_wait_s) {
  configure(std::move(config));
}

void Brain::configure(Config config) {
  config_ = std::move(config);
  // The configuration admits no name of which there is no policy.
  if (auto allocator = alloc::make_allocator(config_.policy))
    allocator_ = std::move(*allocator);
  demand_.set_hold(arrival_hold_s());
  visits_.configure(config_);
  roster_.set_scaling(config_.scaling == Config::Scaling::assumed
                          ? Roster::Scaling::assumed
                          : Roster::Scaling::measured);
  leases_.set_agent_wait(config_.agent_wait_s);
  roster_.set_lease_partition(config_.lease_partition);
  set_orders(std::move(orders_));
}

void Brain::set_bf_interval(double seconds) {
  bf_interval_s_ = seconds;
  demand_.set_hold(arrival_hold_s());
}

/// Unless it is said, so long that leases have ended and backfill has come.
double Brain::arrival_hold_s() const {
  return config_.arrival_hold_s > 0 ? config_.arrival_hold_s
                                    : bf_interval_s_ + hold_margin_s;
}

void Brain::set_orders(Orders orders) {
  orders_ = std::move(orders);
  orders_.configure(config_);
  changed_ = true;
  // What is observed from now on is said even if it is the same as before.
  observed_s_ = 0;
  std::fill(std::begin(recorded_), std::end(recorded_), -1);
}

void Brain::on_snapshot(Snapshot snapshot, TimeS now) {
  auto const before = std::exchange(snapshot_, std::move(snapshot));
  if (snapshot_at_s_ == 0) {
    begun_s_ = now;
    fold_ended_profiles(now);
  }
  snapshot_at_s_ = now;
  changed_ = true;
  leases_.match(snapshot_, now, &pending_);
  auto const used = leases_.used_by_trainer();
  for (auto const& base : snapshot_.trainers)
    if (used.count(base.job)) roster_.entry(base.job, now);
  forget_gone_trainers(now);
  leases_.confirm_agents([this](JobId job, std::string const& node) {
    auto const* trainer = roster_.find(job);
    return trainer && trainer->agents.count(node);
  });
  update_places(before, now);
}

/// Trainings that ended while there was no gleanerd.
void Brain::fold_ended_profiles(TimeS now) {
  std::set<JobId> running;
  for (auto const& base : snapshot_.trainers) running.insert(base.job);
  shelf_.fold_all_but(running, now);
}

void Brain::forget_gone_trainers(TimeS now) {
  for (auto const& gone : roster_.match(snapshot_)) {
    shelve(gone, now);
    if (gone.link != 0) pending_.push_back(CloseLink{gone.link});
    pending_.push_back(Record{"trainer_gone", {{"job", gone.base.job}}});
  }
}

/// Is it kept for a job of which as many tasks wait as before?
bool Brain::is_awaited(std::string const& place, Snapshot const& before) const {
  auto const tasks = [](auto const& jobs, JobId job) {
    for (auto const& one : jobs)
      if (one.job == job) return one.tasks;
    return 0;
  };
  auto const still_waits = [&](auto list, JobId job) {
    auto const now = tasks(snapshot_.*list, job);
    return now > 0 && now >= tasks(before.*list, job);
  };
  auto const aside = aside_.find(place);
  if (aside != aside_.end() && still_waits(&Snapshot::pending, aside->second))
    return true;
  auto const coming = coming_.find(place);
  return coming != coming_.end() &&
         still_waits(&Snapshot::coming, coming->second.job);
}

/// When the lease on a node is over the node completes for a moment, and is no
/// hole.  It is still the place of the job that it is kept for: else that would
/// get another one, whose lease would be asked back for nothing.
void Brain::keep_closing(Snapshot const& before, TimeS now,
                         Places* places) const {
  auto const is_open = [&](std::string const& node) {
    return std::any_of(snapshot_.shared.begin(), snapshot_.shared.end(),
                       [&](auto const& shared) { return shared.node == node; });
  };
  for (auto const& [name, old] : places_) {
    bool const was_lent = old.lease != 0 || old.missing_since_s > 0;
    if (!was_lent || places->count(name)) continue;
    if (old.missing_since_s > 0 && now - old.missing_since_s > closing_s_max)
      continue;
    if (!is_awaited(name, before) || (old.part && is_open(node_of(name))))
      continue;
    auto& place = places->emplace(name, old).first->second;
    if (place.missing_since_s == 0) place.missing_since_s = now;
    place.lent = false;
    place.lease = 0;
    place.hole.leased = true;  // so it is lent to nobody
  }
}

/// A node stays a place while a lease is on it, although Slurm calls it busy
/// while that lease ends.
void Brain::update_places(Snapshot const& before, TimeS now) {
  auto places = part_places_.make(snapshot_, leases_, roster_);
  for (auto const& hole : snapshot_.holes) places[hole.node].hole = hole;
  for (auto const& [nonce, lease] : leases_.all()) {
    auto const [place, added] = places.try_emplace(lease.node);
    if (added) {
      auto const old = places_.find(lease.node);
      if (old != places_.end()) place->second = old->second;
      place->second.hole.node = lease.node;
      place->second.hole.kind = snapshot_.kind_of(node_of(lease.node));
      place->second.part = lease.part;
      if (place->second.missing_since_s == 0)
        place->second.missing_since_s = now;
    }
    place->second.lent = lease.is_used();
    place->second.lease = lease.job;
  }
  keep_closing(before, now, &places);
  for (auto& [name, place] : places) {
    auto const old = places_.find(name);
    place.since_s = old == places_.end() ? now : old->second.since_s;
  }
  for (auto const& [name, place] : places)
    if (!places_.count(name))
      pending_.push_back(Record{"hole_opened", {{"node", name}}});
  for (auto const& [name, place] : places_)
    if (!places.count(name))
      pending_.push_back(Record{
          "hole_closed", {{"node", name}, {"job", place.hole.planned_job}}});
  places_ = std::move(places);
}

void Brain::on_coordinator(LinkId link, Uid uid,
                           msg::FromCoordinator const& message, TimeS now) {
  if (auto const* request = std::get_if<msg::Register>(&message))
    return on_register(link, uid, *request, now);
  auto* trainer = roster_.by_link(link);
  if (!trainer) return;  // who is not registered changes nothing
  bool const is_report = std::holds_alternative<msg::Progress>(message) ||
                         std::holds_alternative<msg::Importance>(message) ||
                         std::holds_alternative<msg::Pace>(message);
  changed_ = !is_report || changed_;
  on_message(link, trainer, message, now);
}

void Brain::on_register(LinkId link, Uid uid, msg::Register const& request,
                        TimeS now) {
  roster_.ask({link, uid, request, now});
  // Only a job that just started has to be looked for; anybody can name one
  // that is not there.
  auto const& known = snapshot_.trainers;
  bool const seen = std::any_of(known.begin(), known.end(), [&](auto& base) {
    return base.job == request.job && base.running;
  });
  if (!seen && looks_.take(uid, 1, now)) pending_.push_back(LookAgain{});
}

void Brain::on_message(LinkId link, TrainerEntry* trainer,
                       msg::FromCoordinator const& message, TimeS now) {
  auto const job = trainer->base.job;
  if (auto const* started = std::get_if<msg::LeaseStarted>(&message)) {
    note_agent(trainer, started->node);
    if (!leases_.started(job, started->node, now)) return;
    users_.succeed(trainer->base.uid);
    nodes_.succeed({started->node, trainer->base.lease_template});
    pending_.push_back(LookAgain{});
  } else if (auto const* failed = std::get_if<msg::LeaseFailed>(&message)) {
    if (leases_.refused(job, failed->node, now))
      note_failure(trainer->base.uid, failed->node, job,
                   failed->why.substr(0, why_bytes_max), now, &pending_);
  } else if (auto const* vacated = std::get_if<msg::Vacated>(&message)) {
    on_vacated(*trainer, *vacated, now);
  } else if (auto const* ended = std::get_if<msg::LeaseEnded>(&message)) {
    trainer->agents.erase(ended->node);
    if (leases_.left(job, ended->node, known_cause(ended->cause), now))
      pending_.push_back(LookAgain{});
  } else if (auto const* progress = std::get_if<msg::Progress>(&message)) {
    roster_.note_progress(link, *progress);
  } else if (auto const* said = std::get_if<msg::Importance>(&message)) {
    on_importance(trainer, *said, now);
  } else if (auto const* pace = std::get_if<msg::Pace>(&message)) {
    on_pace(trainer, *pace, now);
  } else if (auto const* resized = std::get_if<msg::Resized>(&message)) {
    on_resized(trainer, *resized, now);
  }
}

void Brain::on_vacated(TrainerEntry const& trainer, msg::Vacated const& vacated,
                       TimeS now) {
  NodeSet nodes;
  for (auto const& node : vacated.nodes)
    if (leases_.vacated(trainer.base.job, node, now)) nodes.insert(node);
  if (nodes.size() > 0)
    pending_.push_back(
        Record{"vacated",
               {{"trainer", trainer.base.job}, {"nodes", nodes.to_string()}}});
}

/// A training may say so as often as it likes: what is not recorded waits for
/// the next plan.
void Brain::on_importance(TrainerEntry* trainer, msg::Importance const& said,
                          TimeS now) {
  auto const before = std::exchange(trainer->said, in_bounds(said));
  if (trainer->said == before || !rows_.take(trainer->base.uid, 1, now)) return;
  changed_ = true;
  pending_.push_back(Record{"importance",
                            {{"job", trainer->base.job},
                             {"weight", weight_of(*trainer)},
                             {"deadline_s", deadline_of(*trainer)}}});
}

void Brain::on_pace(TrainerEntry* trainer, msg::Pace const& pace, TimeS now) {
  if (!is_possible(pace)) return;
  if (!trainer->scaling.is_measured()) {
    give_prior(trainer, pace, now);
    trainer->measured_since_s = now;
  }
  changed_ = roster_.note_pace(trainer, pace) || changed_;
}

namespace {

ProfileKey key_of(TrainerEntry const& trainer, std::string const& family) {
  return {trainer.base.uid, family, trainer.base.lease_template,
          trainer.base.job};
}

}  // namespace

/// What others like it have taught, and it itself before a restart of gleanerd.
void Brain::give_prior(TrainerEntry* trainer, msg::Pace const& pace,
                       TimeS now) {
  auto const key = key_of(*trainer, pace.family);
  profile::Advisor own;
  auto const traits = traits_of(pace);
  own.set_traits(traits);
  own.add(pace_of(pace));
  auto const is_alike = [&, learned =
                                own.learned()](profile::Learned const& known) {
    return profile::agree(known, learned, traits);
  };
  trainer->scaling.set_prior(shelf_.taught(key, is_alike, now),
                             shelf_.own(key));
}

/// What trainings that run have taught so far is put with the others'.
void Brain::keep_profiles(TimeS now, Actions* out) {
  constexpr double keep_every_s = 5;
  if (now - kept_at_s_ < keep_every_s) return;
  kept_at_s_ = now;
  for (auto const& [job, trainer] : roster_.all())
    if (trainer.scaling.is_measured())
      shelf_.put(key_of(trainer, trainer.scaling.traits().family),
                 trainer.scaling.learned(), now);
  if (auto rows = shelf_.take_changed(); !rows.empty())
    out->push_back(KeepProfiles{std::move(rows)});
}

/// A training is over: what it taught is for the next.
void Brain::shelve(TrainerEntry const& trainer, TimeS now) {
  if (!trainer.scaling.is_measured()) return;
  auto const key = key_of(trainer, trainer.scaling.traits().family);
  auto const learned = trainer.scaling.learned();
  shelf_.put(key, learned, now);
  shelf_.fold(
      key,
      [&](profile::Learned const& known) {
        return profile::agree(known, learned, trainer.scaling.traits());
      },
      now);
}

void Brain::on_resized(TrainerEntry* trainer, msg::Resized const& resized,
                       TimeS now) {
  trainer->scaling.add_resize(resized.kind, resized.prepare_s, resized.stall_s);
  if (std::isfinite(resized.stall_s) && resized.stall_s >= 0)
    stalls_s_.push_back(resized.stall_s);
  if (stalls_s_.size() > stalls_kept) stalls_s_.pop_front();
  if (!rows_.take(trainer->base.uid, 1, now)) return;
  pending_.push_back(Record{"resized",
                            {{"job", trainer->base.job},
                             {"generation", resized.generation},
                             {"kind", resized.kind.substr(0, 16)},
                             {"from", resized.from},
                             {"to", resized.to},
                             {"cause", resized.cause.substr(0, 32)},
                             {"prepare_s", resized.prepare_s},
                             {"stall_s", resized.stall_s}}});
}

void Brain::note_failure(Uid uid, std::string const& node, JobId trainer,
                         std::string const& why, TimeS now, Actions* out) {
  users_.fail(uid, now);
  // Another training may ask for something that the node does give.
  auto const* asking = roster_.find(trainer);
  nodes_.fail({node, asking ? asking->base.lease_template : ""}, now);
  changed_ = true;
  Record refused{"lease_refused",
                 {{"node", node}, {"trainer", trainer}, {"why", why}}};
  // Slurm's words for "no association".
  if (!config_.lease_account.empty() &&
      why.find("Invalid account") != std::string::npos)
    refused.data["remedy"] = "sacctmgr add user $(id -un " +
                             std::to_string(uid) +
                             ") account=" + config_.lease_account;
  out->push_back(refused);
}

void Brain::on_link_lost(LinkId link, TimeS now) {
  bool const registered = roster_.by_link(link) != nullptr;
  roster_.unlink(link, now);
  if (!registered) return;
  changed_ = true;
  pending_.push_back(LookAgain{});
}

/// Tell an accepted coordinator its bounds, and believe which agents it has.
void Brain::welcome(Candidate const& candidate, Actions* out) {
  changed_ = true;
  auto& trainer = *roster_.find(candidate.request.job);
  auto const& base = trainer.base;
  msg::Registered answer{base.nodes_min,
                         base.nodes_max,
                         {"--partition=" + config_.lease_partition,
                          "--reservation=" + config_.reservation}};
  for (auto& option : srun_options(base.lease_template))
    answer.lease_options.push_back(std::move(option));
  out->push_back(Tell{candidate.link, answer});
  for (auto const& lease : candidate.request.leases) {
    note_agent(&trainer, lease.node);
    leases_.confirm_agent(base.job, lease.node);
  }
  repeat_ask_backs(trainer);
  out->push_back(Record{"trainer_registered",
                        {{"job", base.job},
                         {"uid", base.uid},
                         {"name", base.name},
                         {"nodes_min", base.nodes_min},
                         {"nodes_max", base.nodes_max},
                         {"leases", candidate.request.leases.size()}}});
}

}  // namespace gleaner::daemon

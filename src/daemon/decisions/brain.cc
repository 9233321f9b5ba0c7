// SPDX-License-Identifier: Apache-2.0
/// What gleanerd does about what it knows.
#include "daemon/decisions/brain.hh"

#include <algorithm>
#include <cmath>

#include "core/free_nodes.hh"
#include "daemon/decisions/caps.hh"
#include "daemon/decisions/release_groups.hh"

namespace gleaner::daemon {
namespace {

constexpr double register_wait_s = 5;    ///< for a new job to be in a snapshot
constexpr double plan_give_back_s = 30;  ///< nobody waits for these nodes
constexpr double extend_ahead_s = 90;    ///< Slurm looks at limits every 30 s
constexpr double extend_retry_s = 20;
constexpr double replan_s = 1;  ///< without news
constexpr double take_wait_s = 0.9;
constexpr double gather_s = 3;          ///< for coordinators to come back to us
constexpr double order_wait_s_max = 1;  ///< drained nodes are back within 2 s
constexpr double observe_gap_s = 10;    ///< between records of what is seen
constexpr double epilog_s_min = 0.5;    ///< less is slurmctld's own time
constexpr int leases_a_second = 100;    ///< that slurmctld ends
constexpr double unused_wait_s = 10;    ///< without events, where nobody trains

}  // namespace

/// Jobs with --begin end holes like planned starts.  This lasts until the next
/// snapshot, which brings the holes as Slurm knows them.
void Brain::foretell_uses(TimeS now) {
  auto const horizon_s =
      std::max(config_.forward_looking_s, ask_lead_s(config_));
  coming_ = coming_uses(snapshot_, places_, aside_, memory_,
                        now - arrival_hold_s(), now + horizon_s);
  for (auto const& [node, use] : coming_) {
    auto const place = places_.find(node);
    if (place == places_.end()) continue;  // other jobs use it in part
    auto& hole = place->second.hole;
    auto const start_s =
        use.on_notice ? std::min(now, use.start_s) : use.start_s;
    if (hole.end_s && *hole.end_s <= start_s) continue;
    hole.end_s = start_s;
    hole.planned_job = use.job;
  }
}

/// All of them may be in the way of the next job.
int Brain::notice_s() const {
  if (config_.arrival_notice_s == 0 || !looks_at_queue_) return 0;
  auto const leases_s =
      static_cast<int>(leases_.all().size()) / leases_a_second;
  auto const completing_s = leases_.completing_s();
  auto const epilog_s = completing_s < epilog_s_min ? 0 : completing_s;
  return std::min(
      notice_s_max,
      static_cast<int>(std::ceil(config_.arrival_notice_s + epilog_s)) +
          leases_s);
}

/// Can Slurm not start a job there, for a lease that is on it or completes?
bool Brain::is_closed(std::string const& name) const {
  auto const place = places_.find(name);
  return place == places_.end() || place->second.missing_since_s > 0 ||
         leases_.on_node(name);
}

/// Is there a training in the way of this job?  If it began while leases end,
/// Slurm could preempt others in their stead; so they are over first, where we
/// can then make Slurm look at its queue.  Else the job begins before they end,
/// as the end of a lease may make it look.
bool Brain::is_in_the_way(JobId job) const {
  return std::any_of(coming_.begin(), coming_.end(), [&](auto const& entry) {
    if (entry.second.job != job) return false;
    if (looks_at_queue_) return is_closed(entry.first);
    auto const* lease = leases_.on_node(entry.first);
    return lease &&
           (lease->is_used() || lease->state == Lease::State::returning);
  });
}

/// Jobs that job_submit_gleaner made wait begin as soon as trainings have left,
/// at once if none is in the way, and when their time is over: Slurm would look
/// at them only with its next backfill cycle.
void Brain::begin_noticed(TimeS now, Actions* out) {
  std::set<JobId> known;
  for (auto const& job : snapshot_.coming) {
    if (!job.on_notice) continue;
    known.insert(job.job);
    if (is_in_the_way(job.job) && now < job.eligible_s) continue;
    if (!begun_.insert(job.job).second) continue;
    out->push_back(Record{"begun", {{"job", job.job}, {"nodes", job.nodes}}});
    out->push_back(BeginJob{job.job});
  }
  std::erase_if(begun_, [&](JobId job) { return !known.count(job); });
}

/// Else a job waits for slurmctld's next turn although its nodes are free.
void Brain::look_at_queue(Actions* out) {
  if (!looks_at_queue_) return;
  auto const freed = freed_.update(
      aside_, [this](std::string const& place) { return is_closed(place); });
  for (auto const job : freed)
    out->push_back(Record{"nodes_free", {{"job", job}}});
  if (!freed.empty()) out->push_back(LookAtQueue{});
}

void Brain::give_back_for_plans(TimeS now, Actions* out) {
  double const lead_s = ask_lead_s(config_);
  auto const may_be_due = [this](Lease const& lease) {
    auto const place = places_.find(lease.node);
    return place != places_.end() &&
           (place->second.hole.end_s || place->second.missing_since_s > 0);
  };
  for (auto const& lease : leases_.copies_of(may_be_due)) {
    auto const place = places_.find(lease.node);
    auto const& hole = place->second.hole;
    auto const missing_s = place->second.missing_since_s;
    if (hole.end_s && *hole.end_s - lead_s <= now)
      ask_back(lease, "planned_start", now + config_.give_back_s, now, out);
    else if (missing_s > 0 && now - missing_s > missing_wait_s)
      ask_back(lease, "drained", now + plan_give_back_s, now, out);
  }
}

void Brain::give_back_for_demand(TimeS now, Actions* out) {
  for (auto const& [node, job] : aside_)
    if (auto const* lease = leases_.on_node(node))
      ask_back(*lease, "arrival", now + config_.give_back_s, now, out);
}

/// Nodes that an administrator wants back.  After a restart trainers first get
/// a moment to come back to us: who is not there cannot be asked.
void Brain::give_back_for_orders(TimeS now, Actions* out) {
  if (is_gathering(now)) return;
  auto const wait_s = std::min(config_.give_back_s, order_wait_s_max);
  auto const is_wanted_back = [this](Lease const& lease) {
    return !orders_.lends() || orders_.is_drained(lease.node);
  };
  for (auto const& lease : leases_.copies_of(is_wanted_back))
    ask_back(lease, orders_.is_drained(lease.node) ? "drain" : "observe",
             now + wait_s, now, out);
}

/// A lease whose training job is over, or that nobody leads any more.
void Brain::end_orphans(TimeS now, Actions* out) {
  auto const is_orphan = [&](Lease const& lease) {
    auto const* trainer = roster_.find(lease.trainer);
    return !trainer || (trainer->link == 0 &&
                        now - trainer->link_lost_s >= config_.agent_wait_s);
  };
  for (auto const& lease : leases_.copies_of(is_orphan))
    leases_.end(lease.nonce,
                roster_.find(lease.trainer) ? "no_coordinator" : "trainer_gone",
                now, out);
}

void Brain::expire(TimeS now, Actions* out) {
  for (auto const& offer : leases_.expire(now, out))
    note_failure(offer.uid, offer.node, offer.trainer,
                 "the ticket was not used in time", now, out);
}

void Brain::extend_limits(TimeS now, Actions* out) {
  auto const ends_soon = [now](Lease const& lease) {
    return lease.state == Lease::State::held && lease.limit_s != 0 &&
           lease.limit_s - now <= extend_ahead_s;
  };
  for (auto const& lease : leases_.copies_of(ends_soon)) {
    auto const place = places_.find(lease.node);
    if (place == places_.end()) continue;
    auto const& end_s = place->second.hole.end_s;
    if (end_s && *end_s <= lease.limit_s) continue;
    if (lease.limit_s - now < config_.give_back_s + 1) {
      ask_back(lease, "time_limit", lease.limit_s, now, out);
    } else if (now - lease.extended_s > extend_retry_s) {
      auto const minutes =
          extended_minutes(config_, place->second.hole, lease.start_s, now);
      if (lease.start_s + minutes * 60 <= lease.limit_s) continue;
      out->push_back(ExtendLease{lease.job, minutes});
      leases_.set_extended(lease.nonce, now);
    }
  }
}

/// Nodes of one trainer, asked back for one reason, go into one message.
void Brain::ask_back(Lease const& lease, std::string const& cause,
                     TimeS deadline_s, TimeS now, Actions* out) {
  if (!leases_.ask_back(lease.nonce, cause, deadline_s, now, out)) return;
  asked_back_[{lease.trainer, cause, deadline_s}].push_back(lease.node);
}

void Brain::send_ask_backs(Actions* out) {
  for (auto& [key, nodes] : asked_back_) {
    auto const& [job, cause, deadline_s] = key;
    auto const* trainer = roster_.find(job);
    if (!trainer || trainer->link == 0) continue;
    std::sort(nodes.begin(), nodes.end());
    out->push_back(
        Tell{trainer->link, msg::GiveBack{nodes, deadline_s, cause, true}});
  }
  asked_back_.clear();
}

/// A coordinator that was away may not have heard.
void Brain::repeat_ask_backs(TrainerEntry const& trainer) {
  for (auto const& [nonce, lease] : leases_.all())
    if (lease.trainer == trainer.base.job &&
        lease.state == Lease::State::returning)
      asked_back_[{lease.trainer, lease.cause, lease.deadline_s}].push_back(
          lease.node);
}

/// All that may end now in one burst (release_groups.hh).
void Brain::release_vacated(TimeS now, Actions* out) {
  std::map<JobId, std::vector<std::string>> nodes_of;
  double waited_s_max = 0;
  for (auto const& nonce : releasable(leases_, now)) {
    auto const& lease = leases_.all().at(nonce);
    auto const* trainer = roster_.find(lease.trainer);
    if (!trainer || trainer->link == 0) {
      leases_.end(nonce, lease.cause, now, out);
      continue;
    }
    waited_s_max = std::max(waited_s_max, now - lease.since_s);
    nodes_of[lease.trainer].push_back(lease.node);
    leases_.release(nonce, now);
  }
  for (auto& [job, nodes] : nodes_of) {
    std::sort(nodes.begin(), nodes.end());
    out->push_back(Record{"released",
                          {{"trainer", job},
                           {"nodes", nodes.size()},
                           {"burst", now},
                           {"waited_s_max", waited_s_max}}});
    out->push_back(Tell{roster_.find(job)->link, msg::ReleaseNodes{nodes}});
  }
}

/// The scavenger repeats an unchanged snapshot every 5 s, and looks every 30 s
/// where nobody trains.
double Brain::snapshot_age_s_max() const {
  double const least_s = is_in_use() ? 15 : 75;
  return std::max(least_s, config_.scan_interval_ms * 3 / 1000.0);
}

bool Brain::is_in_use() const {
  return snapshot_at_s_ == 0 || snapshot_.is_in_use() ||
         !roster_.all().empty() || !leases_.all().empty();
}

bool Brain::is_current(TimeS now) const {
  return snapshot_at_s_ > 0 && now - snapshot_at_s_ < snapshot_age_s_max();
}

/// Just started, and not all trainers have found us yet: a plan for some of
/// them would be undone by the next.
bool Brain::is_gathering(TimeS now) const {
  auto const is_missing = [this](BaseJob const& base) {
    auto const* trainer = roster_.find(base.job);
    return base.running && trainer && trainer->link == 0;
  };
  return now < begun_s_ + gather_s &&
         std::any_of(snapshot_.trainers.begin(), snapshot_.trainers.end(),
                     is_missing);
}

bool Brain::may_lend_more(TimeS now) const {
  auto const hour =
      std::lower_bound(lent_s_.begin(), lent_s_.end(), now - 3600);
  return lent_s_.end() - hour < config_.leases_per_hour_max;
}

PlanInput Brain::plan_input(TimeS now) const {
  return {config_, snapshot_, places_, aside_, holds_, orders_,
          leases_, roster_,   users_,  nodes_, now};
}

Result<Changes> Brain::decided(Result<Changes> changes) {
  if (changes) planned_ = {changes->decision.value, changes->decision.bound};
  return changes;
}

void Brain::follow_plan(TimeS now, Actions* out) {
  if (!is_current(now) || !lending_ || is_gathering(now)) return;
  if (!changed_ && now - planned_at_s_ < replan_s) return;
  changed_ = false;
  planned_at_s_ = now;
  auto const input = plan_input(now);
  auto changes = decided(make_changes(
      input, *allocator_, [&](alloc::Problem const& problem, alloc::Plan plan) {
        return visits_.change(std::move(plan), input, problem, *allocator_,
                              out);
      }));
  if (!changes) {
    out->push_back(Record{"plan_failed", {{"why", changes.error().message}}});
    return;
  }
  take(changes->take, now, out);
  for (auto const& wish : changes->lend) lend(wish, now, out);
  save(std::move(*changes), out);
}

void Brain::save(Changes&& changes, Actions* out) const {
  if (config_.problem_log.empty()) return;
  out->push_back(SaveProblem{config_.policy, std::move(changes.problem),
                             std::move(changes.decision.plan)});
}

/// Taking waits until plans have agreed on it for a moment: what is short for a
/// moment, while leases end and jobs start, must not move nodes between
/// trainers.
void Brain::take(std::vector<std::string> const& nonces, TimeS now,
                 Actions* out) {
  std::map<std::string, TimeS> since;
  for (auto const& nonce : nonces) {
    auto const known = take_since_s_.find(nonce);
    since[nonce] = known == take_since_s_.end() ? now : known->second;
    if (now - since[nonce] >= take_wait_s)
      ask_back(leases_.all().at(nonce), "plan", now + plan_give_back_s, now,
               out);
  }
  take_since_s_ = std::move(since);
}

void Brain::lend(Changes::Lend const& wish, TimeS now, Actions* out) {
  if (!may_lend_more(now)) return;
  auto const& trainer = *roster_.find(wish.trainer);
  Owner const owner{trainer.base.uid, trainer.base.account};
  if (!cap_reached(config_, leases_, roster_, owner).empty()) return;
  auto& place = places_.at(wish.node);
  proto::Ticket ticket;
  ticket.uid = trainer.base.uid;
  ticket.node = wish.node;
  ticket.part = place.part;
  ticket.trainer = wish.trainer;
  ticket.minutes = lease_minutes(config_, place.hole, now);
  if (ticket.minutes == 0) return;
  ticket.issued_s = static_cast<std::int64_t>(std::floor(now));
  ticket.expires_s =
      static_cast<std::int64_t>(std::ceil(now + config_.ticket_valid_s));
  ticket.nonce = make_nonce_();
  TimeS const until_s = place.hole.end_s.value_or(0);
  // Slurm may take the ticket in its last moment.
  leases_.offer(ticket, until_s, static_cast<TimeS>(ticket.expires_s) + 1, now);
  place.lent = true;
  while (!lent_s_.empty() && lent_s_.front() < now - 3600) lent_s_.pop_front();
  lent_s_.push_back(now);
  out->push_back(Record{"lease_offered",
                        {{"node", wish.node},
                         {"trainer", wish.trainer},
                         {"nonce", ticket.nonce}}});
  out->push_back(Offer{trainer.link, std::move(ticket), until_s});
}

/// Plan as if it were to be followed, and say what came out.
void Brain::observe(TimeS now, Actions* out) {
  if (!is_current(now) || (!changed_ && now - planned_at_s_ < replan_s)) return;
  changed_ = false;
  planned_at_s_ = now;
  auto changes = decided(make_changes(plan_input(now), *allocator_));
  if (!changes) return;
  would_lend_ = changes->nodes_planned;
  save(std::move(*changes), out);
  int const seen[] = {lendable(), would_lend_,
                      static_cast<int>(roster_.all().size())};
  if (std::equal(seen, std::end(seen), recorded_)) return;
  if (observed_s_ > 0 && now - observed_s_ < observe_gap_s) return;
  std::copy(seen, std::end(seen), recorded_);
  observed_s_ = now;
  out->push_back(Record{"observed",
                        {{"lendable", seen[0]},
                         {"kept_for_jobs", aside_.size()},
                         {"would_lend", seen[1]},
                         {"trainers", seen[2]}}});
}

std::string Brain::why_stopped(TimeS now) const {
  if (!orders_.lends()) return "nothing is lent (mode observe)";
  if (!lending_) return "Slurm is not set up for leases [gleaner doctor]";
  if (!is_current(now)) return "the cluster has not been seen for a while";
  if (is_gathering(now)) return "gleanerd has just started";
  if (!may_lend_more(now)) return "leases_per_hour_max is reached";
  return "";
}

int Brain::lendable() const {
  auto const is_lendable = [this](auto const& entry) {
    auto const& [node, place] = entry;
    bool const brief =
        place.hole.end_s &&
        *place.hole.end_s - snapshot_.time_s < config_.hole_s_min;
    return !place.hole.leased && !place.lent && !brief && !aside_.count(node) &&
           !holds_.contains(node) && !orders_.is_drained(node);
  };
  return static_cast<int>(
      std::count_if(places_.begin(), places_.end(), is_lendable));
}

Actions Brain::decide(TimeS now) {
  Actions out = std::move(pending_);
  pending_.clear();
  if (snapshot_at_s_ == 0) return out;
  for (auto const& candidate :
       roster_.settle(snapshot_, register_wait_s, now, &out))
    welcome(candidate, &out);
  aside_ = demand_.update(snapshot_, places_, memory_, now);
  if (auto held = holds_.update(snapshot_, aside_, now); held.size() > 0)
    out.push_back(Record{"reclaimed", {{"nodes", held.to_string()}}});
  for (auto const& job : demand_.arrivals())
    out.push_back(Record{"arrival", {{"job", job.job}, {"nodes", job.nodes}}});
  foretell_uses(now);
  end_orphans(now, &out);
  give_back_for_plans(now, &out);
  give_back_for_demand(now, &out);
  give_back_for_orders(now, &out);
  extend_limits(now, &out);
  expire(now, &out);
  if (orders_.lends())
    follow_plan(now, &out);
  else
    observe(now, &out);
  send_ask_backs(&out);
  begin_noticed(now, &out);
  release_vacated(now, &out);
  look_at_queue(&out);
  keep_profiles(now, &out);
  return out;
}

TimeS Brain::next_s(TimeS now) const {
  TimeS next = now + (is_in_use() ? 1 : unused_wait_s);
  next = leases_.next_s(next);
  next = roster_.next_s(register_wait_s, next);
  next = demand_.next_s(now, next);
  next = holds_.next_s(next);
  for (auto const& [nonce, lease] : leases_.all()) {
    auto const place = places_.find(lease.node);
    if (lease.is_used() && place != places_.end() && place->second.hole.end_s)
      next = std::min(next, *place->second.hole.end_s - ask_lead_s(config_));
  }
  for (auto const& job : snapshot_.coming)
    if (job.on_notice && job.eligible_s > now)
      next = std::min(next, job.eligible_s);
  return std::max(next, now + 0.001);
}

}  // namespace gleaner::daemon

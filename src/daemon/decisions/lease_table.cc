// SPDX-License-Identifier: Apache-2.0
/// The transitions of a lease.
#include "daemon/decisions/lease_table.hh"

#include <algorithm>
#include <set>

namespace gleaner::daemon {
namespace {

using State = Lease::State;

constexpr double leave_wait_s = 2;   ///< for Slurm to end a lease by itself
constexpr double retry_s = 5;        ///< before Slurm is told again to end one
constexpr double unseen_wait_s = 2;  ///< for a started lease to show up
constexpr std::size_t ends_kept = 16;  ///< to know how long Epilogs take

Record held(Lease const& lease, bool adopted) {
  return {"lease_held",
          {{"job", lease.job},
           {"node", lease.node},
           {"trainer", lease.trainer},
           {"adopted", adopted}}};
}

/// It was left, and nobody has ended its processes.
bool ends_by_itself(Lease const& lease) {
  return !lease.killed && (lease.state == State::vacated ||
                           (lease.state == State::ending && lease.job != 0 &&
                            lease.cause != "reclaimed"));
}

/// One that no look saw completing took less than the time between two looks.
Record ended(Lease const& lease, TimeS now) {
  Record record{"lease_ended",
                {{"job", lease.job},
                 {"node", lease.node},
                 {"trainer", lease.trainer},
                 {"cause", lease.cause},
                 {"held_s", lease.begun_s > 0 ? now - lease.begun_s : 0},
                 {"killed", lease.killed}}};
  if (lease.completing_since_s > 0)
    record.data["completing_s"] = now - lease.completing_since_s;
  else if (ends_by_itself(lease))
    record.data["completing_s"] = 0;
  return record;
}

void enter(Lease* lease, State state, TimeS now, TimeS deadline_s) {
  lease->state = state;
  lease->since_s = now;
  lease->deadline_s = deadline_s;
  if (state == State::held && lease->begun_s == 0) lease->begun_s = now;
}

}  // namespace

char const* name_of(State state) {
  switch (state) {
    case State::offered:
      return "offered";
    case State::held:
      return "held";
    case State::returning:
      return "returning";
    case State::vacated:
      return "vacated";
    case State::ending:
      return "ending";
  }
  return "ending";
}

void LeaseTable::offer(proto::Ticket const& ticket, TimeS until_s,
                       TimeS deadline_s, TimeS now) {
  Lease lease;
  lease.nonce = ticket.nonce;
  lease.node = ticket.node;
  lease.part = ticket.part;
  lease.trainer = ticket.trainer;
  lease.uid = ticket.uid;
  lease.until_s = until_s;
  enter(&lease, State::offered, now, deadline_s);
  leases_[ticket.nonce] = lease;
}

bool LeaseTable::started(JobId trainer, std::string const& node, TimeS now) {
  auto* lease = find(trainer, node);
  if (!lease || lease->state == State::ending) return false;
  lease->agent = true;
  if (lease->state == State::offered) enter(lease, State::held, now, 0);
  return true;
}

bool LeaseTable::refused(JobId trainer, std::string const& node, TimeS now) {
  auto* lease = find(trainer, node);
  if (!lease || lease->state == State::ending) return false;
  if (lease->seen) return left(trainer, node, "no_agent", now);
  leases_.erase(lease->nonce);
  return true;
}

/// One that was asked back keeps its deadline.  One that was not is of a
/// gleanerd that ran before this one.
bool LeaseTable::vacated(JobId trainer, std::string const& node, TimeS now) {
  auto* lease = find(trainer, node);
  if (!lease || lease->state == State::ending || lease->state == State::vacated)
    return false;
  bool const asked = lease->state == State::returning;
  if (!asked) lease->cause = "left";
  enter(lease, State::vacated, now,
        asked ? lease->deadline_s : now + leave_wait_s);
  return true;
}

bool LeaseTable::left(JobId trainer, std::string const& node,
                      std::string const& cause, TimeS now) {
  auto* lease = find(trainer, node);
  if (!lease || lease->state == State::ending) return false;
  if (lease->state != State::returning && lease->state != State::vacated)
    lease->cause = cause;
  enter(lease, State::ending, now, now + leave_wait_s);
  return true;
}

void LeaseTable::confirm_agent(JobId trainer, std::string const& node) {
  if (auto* lease = find(trainer, node)) lease->agent = true;
}

void LeaseTable::confirm_agents(
    std::function<bool(JobId, std::string const&)> const& runs) {
  for (auto& [nonce, lease] : leases_)
    if (!lease.agent && runs(lease.trainer, lease.node)) lease.agent = true;
}

bool LeaseTable::ask_back(std::string const& nonce, std::string const& cause,
                          TimeS deadline_s, TimeS now, Actions* out) {
  auto const found = leases_.find(nonce);
  if (found == leases_.end()) return false;
  auto& lease = found->second;
  bool const sooner =
      lease.state == State::returning && deadline_s < lease.deadline_s;
  if (!lease.is_used() && !sooner) return false;
  lease.cause = cause;
  enter(&lease, State::returning, now, deadline_s);
  out->push_back(Record{"give_back",
                        {{"job", lease.job},
                         {"node", lease.node},
                         {"trainer", lease.trainer},
                         {"cause", cause},
                         {"deadline_s", deadline_s}}});
  return true;
}

void LeaseTable::release(std::string const& nonce, TimeS now) {
  auto const found = leases_.find(nonce);
  if (found == leases_.end() || found->second.state != State::vacated) return;
  auto const deadline_s =
      std::max(found->second.deadline_s, now + leave_wait_s);
  enter(&found->second, State::ending, now, deadline_s);
}

void LeaseTable::end(std::string const& nonce, std::string const& cause,
                     TimeS now, Actions* out) {
  auto const found = leases_.find(nonce);
  if (found == leases_.end() || found->second.killed) return;
  found->second.cause = cause;
  kill(&found->second, now, out);
}

/// Slurm refuses to end what completes already.  Without a job id yet, a
/// snapshot has to tell first; match_one() goes on.  If there is no such job
/// the lease is over with the first snapshot that is taken unseen_wait_s after
/// the first attempt: so that one is asked for.
void LeaseTable::kill(Lease* lease, TimeS now, Actions* out) {
  auto const since_s = lease->state == State::ending ? lease->since_s : now;
  bool const unseen = lease->job == 0;
  enter(lease, State::ending, now, now + (unseen ? unseen_wait_s : retry_s));
  lease->since_s = since_s;
  lease->killed = lease->killed || !lease->completing;
  if (unseen)
    out->push_back(LookAgain{});
  else if (!lease->completing)
    out->push_back(EndLease{lease->job, lease->node});
}

void LeaseTable::match_one(Lease* lease, LeaseJob const& job, TimeS now,
                           Actions* out) {
  bool const news = !lease->seen;
  lease->seen = true;
  lease->job = job.job;
  lease->start_s = job.start_s;
  lease->limit_s = job.limit_s;
  lease->completing = !job.running;
  if (lease->state == State::offered)
    enter(lease, State::held, now, now + agent_wait_s_);
  if (news) out->push_back(held(*lease, false));
  if (!job.running && lease->completing_since_s == 0 && ends_by_itself(*lease))
    lease->completing_since_s = now;
  if (!job.running && lease->state != State::ending) {
    if (lease->state == State::held) lease->cause = "reclaimed";
    enter(lease, State::ending, now, now + retry_s);
  } else if (news && lease->killed && job.running) {
    out->push_back(EndLease{lease->job, lease->node});
  }
}

void LeaseTable::adopt(LeaseJob const& job, TimeS now, Actions* out) {
  Lease lease;
  lease.nonce = job.ticket;
  lease.node = job.node;
  lease.part = job.part;
  lease.trainer = job.trainer;
  lease.uid = job.uid;
  lease.job = job.job;
  lease.seen = true;
  lease.start_s = job.start_s;
  lease.limit_s = job.limit_s;
  lease.begun_s = job.start_s;
  enter(&lease, State::held, now, now + agent_wait_s_);
  leases_[lease.nonce] = lease;
  out->push_back(held(lease, true));
}

void LeaseTable::match(Snapshot const& snapshot, TimeS now, Actions* out) {
  std::set<std::string> present;
  for (auto const& job : snapshot.leases) {
    if (job.trainer == 0 || job.ticket.empty()) continue;
    present.insert(job.ticket);
    auto const known = leases_.find(job.ticket);
    if (known != leases_.end())
      match_one(&known->second, job, now, out);
    else if (job.running)
      adopt(job, now, out);
  }
  for (auto it = leases_.begin(); it != leases_.end();) {
    auto const& lease = it->second;
    bool const gone = !present.count(lease.nonce) &&
                      lease.state != State::offered &&
                      (lease.seen || now - lease.since_s >= unseen_wait_s);
    if (gone && lease.state == State::held) it->second.cause = "reclaimed";
    if (gone) {
      note_end(lease, now);
      out->push_back(ended(lease, now));
    }
    it = gone ? leases_.erase(it) : std::next(it);
  }
}

void LeaseTable::note_end(Lease const& lease, TimeS now) {
  if (!ends_by_itself(lease)) return;
  auto const since_s = lease.completing_since_s;
  completed_s_.push_back(since_s > 0 ? now - since_s : 0);
  if (completed_s_.size() > ends_kept) completed_s_.pop_front();
}

double LeaseTable::completing_s() const {
  auto const longest =
      std::max_element(completed_s_.begin(), completed_s_.end());
  return longest == completed_s_.end() ? 0 : *longest;
}

bool LeaseTable::is_late(Lease const& lease, TimeS now) const {
  if (lease.state == State::held && lease.agent) return false;
  return lease.deadline_s > 0 && now >= lease.deadline_s;
}

std::vector<Lease> LeaseTable::expire(TimeS now, Actions* out) {
  std::vector<Lease> void_offers;
  for (auto it = leases_.begin(); it != leases_.end();) {
    auto& lease = it->second;
    if (!is_late(lease, now)) {
      ++it;
      continue;
    }
    if (lease.state == State::offered) {
      void_offers.push_back(lease);
      it = leases_.erase(it);
      continue;
    }
    if (lease.state == State::held) lease.cause = "no_agent";
    kill(&lease, now, out);
    ++it;
  }
  return void_offers;
}

TimeS LeaseTable::next_s(TimeS fallback) const {
  for (auto const& [nonce, lease] : leases_)
    if (lease.deadline_s > 0 && !(lease.state == State::held && lease.agent))
      fallback = std::min(fallback, lease.deadline_s);
  return fallback;
}

Lease const* LeaseTable::on_node(std::string const& node) const {
  Lease const* result = nullptr;
  for (auto const& [nonce, lease] : leases_)
    if (lease.node == node && (!result || result->state == State::ending))
      result = &lease;
  return result;
}

std::map<std::string, Lease const*> LeaseTable::by_node() const {
  std::map<std::string, Lease const*> result;
  for (auto const& [nonce, lease] : leases_) {
    auto& known = result[lease.node];
    if (!known || known->state == State::ending) known = &lease;
  }
  return result;
}

std::vector<Lease const*> LeaseTable::used_by(JobId trainer) const {
  std::vector<Lease const*> result;
  for (auto const& [nonce, lease] : leases_)
    if (lease.trainer == trainer && lease.is_used()) result.push_back(&lease);
  return result;
}

std::map<JobId, std::vector<Lease const*>> LeaseTable::used_by_trainer() const {
  std::map<JobId, std::vector<Lease const*>> result;
  for (auto const& [nonce, lease] : leases_)
    if (lease.is_used()) result[lease.trainer].push_back(&lease);
  return result;
}

void LeaseTable::set_extended(std::string const& nonce, TimeS now) {
  auto const found = leases_.find(nonce);
  if (found != leases_.end()) found->second.extended_s = now;
}

Lease* LeaseTable::find(JobId trainer, std::string const& node) {
  Lease* result = nullptr;
  for (auto& [nonce, lease] : leases_)
    if (lease.trainer == trainer && lease.node == node &&
        (!result || result->state == State::ending))
      result = &lease;
  return result;
}

}  // namespace gleaner::daemon

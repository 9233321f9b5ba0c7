// SPDX-License-Identifier: Apache-2.0
/// Which leases there are, and how far each has come.
///
///     offered ──> held ──> returning ──> vacated ──> ending ──> (gone)
///        │          └────────────┴───────────────────────^
///        └─> (gone: refused, or the ticket ran out)
///
/// Slurm's own state is the truth: a lease seen in a snapshot is adopted even
/// if this process never offered it, and leaves the table only once a snapshot
/// no longer has it.  A job id is taken from snapshots alone, never from what a
/// coordinator claims: it is what gets killed with operator rights.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster.hh"
#include "daemon/decisions/actions.hh"

namespace gleaner::daemon {

struct Lease {
  enum class State {
    offered,    ///< the coordinator has a ticket
    held,       ///< the lease runs
    returning,  ///< the coordinator was asked to leave
    vacated,    ///< no member is there; the agent waits to be released
    ending,     ///< it is over, or Slurm was told to end it
  };

  std::string nonce;  ///< of its ticket; its key in the table
  std::string node;   ///< or the part of it (core/place.hh)
  std::optional<Resources> part = std::nullopt;  ///< none: the whole node
  JobId trainer = 0;
  Uid uid = 0;
  JobId job = 0;  ///< 0 until a snapshot tells
  State state = State::offered;
  TimeS since_s = 0;     ///< in this state
  TimeS begun_s = 0;     ///< held since; 0: never held
  TimeS deadline_s = 0;  ///< when this state has lasted too long
  TimeS until_s = 0;     ///< when the hole is expected to end; 0: unknown
  TimeS start_s = 0;     ///< as Slurm says
  TimeS limit_s = 0;     ///< when Slurm's time limit ends it
  TimeS completing_since_s = 0;  ///< of one that ends by itself; 0: not yet
  TimeS extended_s = 0;     ///< when Slurm was last asked for a later limit
  bool agent = false;       ///< its coordinator says that an agent runs there
  bool seen = false;        ///< in a snapshot
  bool completing = false;  ///< over for Slurm, but for its Epilog
  bool killed = false;      ///< Slurm was told to end it
  std::string cause;        ///< why it is returning or ending

  /// Its trainer uses the node, or is about to.
  bool is_used() const {
    return state == State::offered || state == State::held;
  }
};

char const* name_of(Lease::State state);

class LeaseTable {
 public:
  explicit LeaseTable(double agent_wait_s) : agent_wait_s_(agent_wait_s) {}
  void set_agent_wait(double seconds) { agent_wait_s_ = seconds; }

  /// A ticket goes out; the offer is void at `deadline_s`.
  void offer(proto::Ticket const& ticket, TimeS until_s, TimeS deadline_s,
             TimeS now);

  // What the coordinator of `trainer` says of a node.  False when there is no
  // such lease; what it says then changes nothing.
  bool started(JobId trainer, std::string const& node, TimeS now);
  bool refused(JobId trainer, std::string const& node, TimeS now);
  bool vacated(JobId trainer, std::string const& node, TimeS now);
  bool left(JobId trainer, std::string const& node, std::string const& cause,
            TimeS now);
  /// After a reconnect: an agent runs on the node.
  void confirm_agent(JobId trainer, std::string const& node);
  /// The same for all leases at once: `runs(trainer, node)`.
  void confirm_agents(
      std::function<bool(JobId, std::string const&)> const& runs);

  /// Ask the coordinator to leave; again, if that brings the deadline forward.
  /// False: nothing changed.  The caller sends the message.
  bool ask_back(std::string const& nonce, std::string const& cause,
                TimeS deadline_s, TimeS now, Actions* out);

  /// The coordinator of a vacated lease is told to end it; no-op otherwise.
  /// It has until the lease's deadline, for processes that exit slowly.
  /// The caller sends the message.
  void release(std::string const& nonce, TimeS now);

  /// End it in Slurm at once; no-op if that was done.
  void end(std::string const& nonce, std::string const& cause, TimeS now,
           Actions* out);

  /// Bring the table to what Slurm says.
  void match(Snapshot const& snapshot, TimeS now, Actions* out);

  /// Act on passed deadlines.  Returns the offers that came to nothing.
  std::vector<Lease> expire(TimeS now, Actions* out);

  /// The next deadline; `fallback` if there is none before.
  TimeS next_s(TimeS fallback) const;

  /// All of them, by nonce.
  std::map<std::string, Lease> const& all() const { return leases_; }

  /// Copies of those that `is` true of, in the order of nonces: for who changes
  /// leases on the way.
  template <class Is>
  std::vector<Lease> copies_of(Is is) const {
    std::vector<Lease> copies;
    for (auto const& [nonce, lease] : leases_)
      if (is(lease)) copies.push_back(lease);
    return copies;
  }

  /// The lease on this node that is not ending, else an ending one, or null.
  Lease const* on_node(std::string const& node) const;

  /// The same for all nodes at once.
  std::map<std::string, Lease const*> by_node() const;

  /// Leases a trainer uses or is about to.
  std::vector<Lease const*> used_by(JobId trainer) const;

  /// The same for all trainers at once; none for one without.
  std::map<JobId, std::vector<Lease const*>> used_by_trainer() const;

  /// How long the slowest of the last leases that ended by themselves took to
  /// complete: their Epilog.
  double completing_s() const;

  /// Slurm is being asked for a later time limit.
  void set_extended(std::string const& nonce, TimeS now);

 private:
  Lease* find(JobId trainer, std::string const& node);
  void match_one(Lease* lease, LeaseJob const& job, TimeS now, Actions* out);
  void adopt(LeaseJob const& job, TimeS now, Actions* out);
  void kill(Lease* lease, TimeS now, Actions* out);
  bool is_late(Lease const& lease, TimeS now) const;

  void note_end(Lease const& lease, TimeS now);

  double agent_wait_s_;
  std::map<std::string, Lease> leases_;
  std::deque<double> completed_s_;  ///< how long the last ones completed
};

}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// Everything gleanerd decides.
///
/// Events change what is known; decide() then says what to do about it.  No
/// clock, file, socket or Slurm here: the same events at the same times give
/// the same actions.
///
/// Promises, each with a test in test/unit/daemon:
/// - a node that an eligible rigid job can use now is not lent, and is asked
///   back if it is; a node that Slurm plans to use, or that a job with --begin
///   will, is back in time;
/// - what is asked back is ended at the deadline, whatever the trainer does;
/// - a node that Slurm took itself is not lent while the job waits for which
///   it did, until Slurm could preempt again;
/// - no lease is ended while a trainer is still leaving another one for a job
///   that waits: Slurm would preempt that one;
/// - a job that waits on notice begins when trainings have left its nodes, and
///   slurmctld looks at its queue when the nodes of a waiting job are free;
/// - the end of a training job ends all its leases at once;
/// - leases found in Slurm are adopted, and ended if nobody runs on them;
/// - with `mode: observe` nothing is lent, and what still is lent is asked
///   back; so are nodes that an administrator drains.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "alloc/allocator.hh"
#include "core/config.hh"
#include "daemon/decisions/actions.hh"
#include "daemon/decisions/backoff.hh"
#include "daemon/decisions/coming_uses.hh"
#include "daemon/decisions/demand.hh"
#include "daemon/decisions/freed_jobs.hh"
#include "daemon/decisions/lease_table.hh"
#include "daemon/decisions/node_holds.hh"
#include "daemon/decisions/orders.hh"
#include "daemon/decisions/part_places.hh"
#include "daemon/decisions/planner.hh"
#include "daemon/decisions/profile_visits.hh"
#include "daemon/decisions/roster.hh"
#include "daemon/decisions/token_buckets.hh"

namespace gleaner::daemon {

class Brain {
 public:
  /// `make_nonce` gives each ticket its own.
  Brain(Config config, std::function<std::string()> make_nonce);

  /// Use other settings from now on.
  void configure(Config config);

  /// Leases can be had: Slurm is set up for them and the reservation is there.
  void set_lending(bool possible) { lending_ = possible; }

  /// How long Slurm does not preempt again for a job (node_holds.hh).
  void set_preempt_again(double seconds) { holds_.set_preempt_again(seconds); }
  /// The time between two cycles of backfill, by slurm.conf.
  void set_bf_interval(double seconds);

  /// slurmctld can be made to look at its queue (LookAtQueue).
  void set_looks_at_queue(bool can) { looks_at_queue_ = can; }

  /// Whether Slurm allocates memory to jobs (SelectTypeParameters).
  void set_memory(JobMemory memory) { memory_ = memory; }

  /// What `gleaner admin` said; configure() adds gleaner.yaml's part.
  void set_orders(Orders orders);

  /// What earlier trainings taught, as it was kept.
  void load_profiles(std::vector<ProfileRow> rows) {
    shelf_.load(std::move(rows));
  }

  // Events.
  void on_snapshot(Snapshot snapshot, TimeS now);
  void on_coordinator(LinkId link, Uid uid, msg::FromCoordinator const& message,
                      TimeS now);
  void on_link_lost(LinkId link, TimeS now);

  /// What to do now.  To be called after events, and at next_s().
  Actions decide(TimeS now);

  /// When to call decide() again without an event: at most a second from now,
  /// or ten where nobody trains.
  TimeS next_s(TimeS now) const;

  /// Is there anything that a decision may have to be made for soon?
  bool is_in_use() const;

  /// How old a snapshot may become before it counts as none.
  double snapshot_age_s_max() const;

  // For status.cc.
  Config const& config() const { return config_; }
  Snapshot const& snapshot() const { return snapshot_; }
  LeaseTable const& leases() const { return leases_; }
  Roster const& roster() const { return roster_; }
  NodeHolds const& holds() const { return holds_; }
  std::map<std::string, JobId> const& aside() const { return aside_; }
  Places const& places() const { return places_; }
  std::deque<double> const& stalls_s() const { return stalls_s_; }
  Orders const& orders() const { return orders_; }
  ProfileVisits const& visits() const { return visits_; }
  /// For how long jobs are to wait for trainings to leave, Epilogs of their
  /// leases included.  0, not at all, where slurmctld would look at its queue
  /// only some time after that.
  int notice_s() const;
  int lendable() const;
  PlanInput plan_input(TimeS now) const;
  /// Why no node is lent to anybody; "": they are.
  std::string why_stopped(TimeS now) const;
  /// What the last plan gains, and what none could exceed (alloc/allocator.hh).
  struct Planned {
    double value = 0;
    double bound = 0;
  };
  Planned planned() const { return planned_; }
  int would_lend() const { return orders_.lends() ? 0 : would_lend_; }

 private:
  double arrival_hold_s() const;
  void on_message(LinkId link, TrainerEntry* trainer,
                  msg::FromCoordinator const& message, TimeS now);
  void on_register(LinkId link, Uid uid, msg::Register const& request,
                   TimeS now);
  void on_resized(TrainerEntry* trainer, msg::Resized const& resized,
                  TimeS now);
  void on_importance(TrainerEntry* trainer, msg::Importance const& said,
                     TimeS now);
  void on_pace(TrainerEntry* trainer, msg::Pace const& pace, TimeS now);
  void give_prior(TrainerEntry* trainer, msg::Pace const& pace, TimeS now);
  void shelve(TrainerEntry const& trainer, TimeS now);
  void fold_ended_profiles(TimeS now);
  void keep_profiles(TimeS now, Actions* out);
  void note_failure(Uid uid, std::string const& node, JobId trainer,
                    std::string const& why, TimeS now, Actions* out);
  void update_places(Snapshot const& before, TimeS now);
  void keep_closing(Snapshot const& before, TimeS now, Places* places) const;
  bool is_awaited(std::string const& place, Snapshot const& before) const;
  bool is_closed(std::string const& place) const;
  void look_at_queue(Actions* out);
  void foretell_uses(TimeS now);
  void begin_noticed(TimeS now, Actions* out);
  bool is_in_the_way(JobId job) const;
  void forget_gone_trainers(TimeS now);
  void settle_registrations(TimeS now, Actions* out);
  void welcome(Candidate const& candidate, Actions* out);
  void end_orphans(TimeS now, Actions* out);
  void give_back_for_plans(TimeS now, Actions* out);
  void give_back_for_demand(TimeS now, Actions* out);
  void give_back_for_orders(TimeS now, Actions* out);
  void expire(TimeS now, Actions* out);
  void extend_limits(TimeS now, Actions* out);
  void follow_plan(TimeS now, Actions* out);
  void take(std::vector<std::string> const& nonces, TimeS now, Actions* out);
  void lend(Changes::Lend const& wish, TimeS now, Actions* out);
  void ask_back(Lease const& lease, std::string const& cause, TimeS deadline_s,
                TimeS now, Actions* out);
  void send_ask_backs(Actions* out);
  void on_vacated(TrainerEntry const& trainer, msg::Vacated const& vacated,
                  TimeS now);
  void repeat_ask_backs(TrainerEntry const& trainer);
  void release_vacated(TimeS now, Actions* out);
  bool is_current(TimeS now) const;
  bool is_gathering(TimeS now) const;
  bool may_lend_more(TimeS now) const;
  /// The same, with its value and bound kept for planned().
  Result<Changes> decided(Result<Changes> changes);
  void observe(TimeS now, Actions* out);
  void save(Changes&& changes, Actions* out) const;

  Config config_;
  Orders orders_;
  std::function<std::string()> make_nonce_;
  std::unique_ptr<alloc::Allocator> allocator_;
  bool lending_ = false;
  bool changed_ = false;  ///< since the last plan

  Snapshot snapshot_;
  TimeS snapshot_at_s_ = 0;  ///< when it came; 0: never
  TimeS begun_s_ = 0;        ///< when the first one came
  PartPlaces part_places_;
  Places places_;
  std::map<std::string, JobId> aside_;
  std::map<std::string, ComingUse> coming_;  ///< next uses that are foretold
  std::set<JobId> begun_;      ///< jobs on notice that Slurm was told to begin
  double bf_interval_s_ = 30;  ///< Slurm's default
  Demand demand_;
  FreedJobs freed_;
  bool looks_at_queue_ = false;
  JobMemory memory_ = JobMemory::counted;
  NodeHolds holds_;
  LeaseTable leases_;
  Roster roster_;
  ProfileShelf shelf_;
  ProfileVisits visits_;  ///< of trainings that are measured on purpose
  TimeS kept_at_s_ = 0;   ///< what is on the shelf was kept
  Backoff<Uid> users_{1, 60};
  Backoff<NodeTemplate> nodes_{2, 600};  ///< that refused a lease template
  std::deque<TimeS> lent_s_;  ///< when leases were offered, last hour
  std::deque<double> stalls_s_;
  /// What users may cause by what they send: looks at Slurm, rows.
  TokenBuckets looks_{{8, 0.5}}, rows_{{1000, 10}};
  std::map<std::string, TimeS> take_since_s_;  ///< leases that plans would take
  TimeS planned_at_s_ = 0;                     ///< when the last plan was made
  Planned planned_;
  int would_lend_ = 0;    ///< nodes of the last plan that was not followed
  TimeS observed_s_ = 0;  ///< when that was recorded
  int recorded_[3] = {-1, -1, -1};  ///< what was
  Actions pending_;                 ///< noted by events, handed out by decide()
  /// Nodes asked back in this decide(), by message.
  std::map<std::tuple<JobId, std::string, TimeS>, std::vector<std::string>>
      asked_back_;
};

}  // namespace gleaner::daemon

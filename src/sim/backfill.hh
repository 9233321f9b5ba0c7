// SPDX-License-Identifier: Apache-2.0
/// A batch system of rigid jobs: first come, first served, with EASY backfill.
///
/// The job at the head of the queue starts as soon as enough nodes are idle;
/// until then it has a reservation: the earliest time at which enough would be,
/// if every running job used its whole limit.  A later job may start at once if
/// that delays the reservation by nothing.  Only limits are used to decide, how
/// long a job really runs shows when it ends.
///
/// A node that is lent to a trainer is idle to this scheduler.  A job that is
/// given one starts reclaim_s later, because the lease must end first; unless
/// the plan said so: a lease on a node that is reserved ends reclaim_s ahead.
#pragma once

#include <deque>

#include "sim/hole_source.hh"
#include "sim/swf.hh"

namespace gleaner::sim {

struct BackfillOptions {
  int nodes = 0;
  double reclaim_s = 0;  ///< how long a lease takes to give its node back
};

class Backfill final : public HoleSource {
 public:
  /// Jobs that ran when the window began run at time 0.  Fails with
  /// invalid_argument for a job that wants more nodes than there are.
  static Result<Backfill> make(JobLog const& log, BackfillOptions options);

  std::vector<std::string> const& nodes() const override { return names_; }
  std::optional<double> next_s() const override;
  HoleChange advance(std::vector<bool> const& lent) override;
  std::optional<double> end_s(NodeNumber node) const override;

  /// When each job of the log started; none: not yet.  In the log's order.
  std::vector<std::optional<double>> const& starts_s() const {
    return starts_s_;
  }

  /// How many jobs had to wait for a lease to end.
  int reclaims() const { return reclaims_; }

 private:
  using JobIndex = std::size_t;
  struct Running {
    JobIndex job = 0;
    double end_s = 0;      ///< known only to time itself
    double end_s_max = 0;  ///< by its limit: all the scheduler may use
    std::vector<NodeNumber> nodes;
  };

  Backfill(JobLog const& log, BackfillOptions options);
  LoggedJob const& job(JobIndex i) const { return jobs_[i]; }
  void begin_window();
  void end_jobs();
  void schedule(std::vector<bool> const& lent);
  void start(JobIndex job, std::vector<bool> const& lent);
  void reserve_for_head();
  HoleChange offer_anew();

  BackfillOptions options_;
  std::vector<LoggedJob> jobs_;
  std::vector<std::string> names_;
  std::vector<std::optional<double>> starts_s_;

  double now_s_ = 0;
  bool has_begun_ = false;
  JobIndex next_job_ = 0;  ///< first that is not submitted
  std::deque<JobIndex> queue_;
  std::vector<Running> running_;
  std::vector<bool> idle_;  ///< by node: without a rigid job
  int idle_count_ = 0;
  int reclaims_ = 0;
  std::vector<bool> offered_;  ///< by node: idle, and to be had by trainers

  /// The reservation of the head of the queue, if it has to wait.
  std::optional<double> reserved_s_;
  int spare_ = 0;  ///< nodes that will be idle then beyond what it needs
  std::vector<bool> reserved_;  ///< by node: idle now, and part of it
};

}  // namespace gleaner::sim

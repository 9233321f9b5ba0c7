// SPDX-License-Identifier: Apache-2.0
/// What has the training done for certain, and what is kept and shown of it?
///
/// Steps go from the ledger to the event log; with them the cost of resizes and
/// the values that the program logs.  Checkpoints are asked for, and become the
/// newest once their step is recorded and the values up to it are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/generation/checkpoint_schedule.hh"
#include "runtime/generation/ledger.hh"
#include "runtime/generation/log_means.hh"
#include "runtime/generation/member_ids.hh"
#include "runtime/generation/membership_options.hh"
#include "runtime/generation/orders.hh"
#include "runtime/generation/resize_cost.hh"
#include "runtime/generation/stuck.hh"

namespace gleaner::generation {

/// A generation as the event log has it.
struct GenerationBegun {
  msg::Generation generation = 0;
  std::string kind;
  std::string cause;
  int nodes_before = 0;
  int nodes_after = 0;
  std::string nodes;
  MemberIds members;
  double prepare_s = 0;
  msg::Step first = 0;
  /// nullopt: nobody joined; "": joiners followed; else why they did not.
  std::optional<std::string> copied_why;
};

/// What follows from a call is added to `out`.
class TrainingRecord {
 public:
  using Out = membership::OrderList;

  explicit TrainingRecord(membership::Options const& options)
      : ledger_(options.start_from),
        checkpoints_(options.checkpoint_prefix, options.checkpoint_interval_s) {
  }

  // --- steps ----------------------------------------------------------------
  void set_dataset_size(std::uint64_t size) { ledger_.set_dataset_size(size); }
  msg::Step recorded() const { return ledger_.recorded(); }
  std::uint64_t samples_seen() const { return ledger_.samples_seen(); }
  double step_s() const { return step_median_.seconds(); }  ///< 0: not known
  double update_s() const { return update_s_; }             ///< 0: not known
  /// A member reports a stable step.  `members` are told from time to time what
  /// is recorded.
  void stable(Out& out, msg::Stable const& report, MemberIds const& members);
  /// All members have arrived at `step`, the last before `what` ("the park").
  void arrived(Out& out, msg::Step step, MemberIds const& members,
               std::string const& what);
  /// The training is over, at `step`.
  void finish(Out& out, msg::Step step, MemberIds const& members);

  // --- generations ----------------------------------------------------------
  void generation(Out& out, GenerationBegun const& begun);
  /// A loss: what is not recorded will be reported again.
  void forget_unrecorded() { ledger_.forget_unrecorded(); }
  /// Values of steps after this one, which were undone.
  void forget_values_after(msg::Step step) { log_means_.forget_after(step); }
  /// No member has state.  Goes back to the newest checkpoint or the start; in
  /// the event log when the training had state, or lost steps by it.
  void roll_back(Out& out, bool had_state, int nodes, std::string const& why);

  // --- values ---------------------------------------------------------------
  void value(msg::LogValue const& value) { log_means_.add(value); }
  /// A few times a second, while something waits for it.
  bool may_show_values(double now);
  /// All members have told the values of steps up to this one: they are shown,
  /// and a checkpoint of such a step counts.
  void show_values(Out& out, msg::Step until);
  /// Those that have come, as no others will.
  void show_what_came(Out& out);

  // --- checkpoints ----------------------------------------------------------
  std::optional<membership::Checkpoint> newest() const {
    return ledger_.newest();
  }
  void discard_newest() { ledger_.discard_newest(); }
  /// One is written and does not count yet.
  bool checkpoint_waits() const { return ledger_.checkpoint_waits(); }
  /// The training has state again.
  void begin_checkpoints(double now) { checkpoints_.begin(now); }
  /// Asks `member` for a checkpoint where one is due.
  void ask_when_due(Out& out, double now, msg::MemberId member);
  std::string park_path() { return checkpoints_.park_path(); }
  void drop_state() { checkpoints_.drop_state(); }
  bool may_park(double now) const { return checkpoints_.may_park(now); }
  void park_failed(double now) { checkpoints_.park_failed(now); }
  /// The park at this file's step is complete: no member has state any more.
  /// The file counts when values are shown.
  void parked(Out& out, msg::Checkpointed const& file,
              MemberIds const& members);
  /// A member has written a file.
  void written(Out& out, msg::MemberId by, msg::Checkpointed const& file);
  /// Whether this is the file that was asked for: it could not be written.
  bool take_failure(std::string const& path);
  /// It is gone or released, and writes nothing any more.
  void gone(msg::MemberId member);

 private:
  void record_steps(Out& out, std::vector<msg::Stable> const& steps,
                    MemberIds const& members);
  void record_means(Out& out, msg::Step until);
  void record_resize(Out& out, std::optional<Resize> const& resize);
  void add_checkpoint(Out& out, msg::Checkpointed const& file,
                      std::string const& kind);
  void announce_checkpoint(Out& out);

  Ledger ledger_;
  msg::Step told_recorded_ = 0;
  CheckpointSchedule checkpoints_;
  LogMeans log_means_;
  double values_shown_s_ = 0;
  ResizeCost resize_cost_;
  StepMedian step_median_;
  double update_s_ = 0;
};

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// Which steps, samples and checkpoints does the training have for certain?
///
/// The coordinator's account of stable steps: each recorded once and in order,
/// no matter who reports it and how often.  What is recorded is undone only by
/// a rollback to a checkpoint, which is recorded too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/runtime_messages.hh"
#include "runtime/generation/membership_options.hh"
#include "runtime/generation/orders.hh"
#include "runtime/generation/sampler.hh"

namespace gleaner::generation {

/// What the audit of recorded samples found; all zero in a correct run.
struct SampleAudit {
  std::uint64_t duplicate = 0;  ///< recorded twice in a pass
  /// In no step of a pass that has ended; those that drop_last left out count.
  std::uint64_t missing = 0;
};

/// The positions recorded in the pass that is running.
struct PassRecord {
  std::optional<std::uint64_t> pass;  ///< nullopt: before the first step
  Positions taken;
  bool whole = true;  ///< false: its beginning was another coordinator's
};

class Ledger {
 public:
  explicit Ledger(std::optional<membership::Checkpoint> start_from);

  /// Samples in a pass: known when the first member is loaded.
  void set_dataset_size(std::uint64_t size) { dataset_size_ = size; }

  /// A report of a stable step.  Returns the steps that are recorded by it, in
  /// order: none if it is known, comes before its predecessor, or is
  /// tentative.
  std::vector<msg::Stable> on_stable(msg::Stable const& report);

  /// All have arrived at `step`: its tentative report counts.
  std::vector<msg::Stable> commit_tentative(msg::Step step);

  /// A loss: what is not recorded will be reported again.
  void forget_unrecorded();

  /// The training is over: what its last pass lacks is missing.
  void end_training();

  msg::Step recorded() const { return recorded_; }
  std::uint64_t samples_seen() const { return samples_seen_; }
  SampleAudit const& audit() const { return audit_; }

  /// A checkpoint was asked for: it will be of a step after recorded().
  void checkpoint_asked();
  /// A file holds the state after this step.  It may be restarted from once
  /// the step is recorded and values_shown(): a training that goes on after the
  /// step does not log what was logged before it.
  void add_checkpoint(membership::Checkpoint checkpoint);
  /// What the steps up to this one have logged is in the event log.
  void values_shown(msg::Step until);
  /// There is one that may not be restarted from yet.
  bool checkpoint_waits() const { return waiting_.has_value(); }
  /// A file that nothing will be restarted from.
  void add_orphan(std::string path) { superseded_.push_back(std::move(path)); }
  /// The checkpoint that has become the newest, if one has since the last
  /// call, and the files that are not needed any more.
  std::optional<membership::Register> take_registered();

  std::optional<membership::Checkpoint> newest() const;
  /// The newest cannot be read.
  void discard_newest();
  /// No member has state: go back to the newest checkpoint, or to the start.
  void roll_back();

 private:
  struct Kept {
    membership::Checkpoint checkpoint;
    PassRecord at;  ///< after the checkpoint's step
  };
  void record(msg::Stable const& report);
  void settle_checkpoint();

  std::uint64_t dataset_size_ = 0;
  msg::Step recorded_ = 0;
  std::uint64_t samples_seen_ = 0;
  std::map<msg::Step, msg::Stable> early_;  ///< their predecessor is missing
  std::optional<msg::Stable> tentative_;

  PassRecord now_;
  SampleAudit audit_;

  std::vector<Kept> kept_;  ///< oldest first, at most two
  /// For its step's record, or for values.
  std::optional<membership::Checkpoint> waiting_;
  msg::Step values_shown_ = 0;
  std::optional<PassRecord> asked_at_;
  std::vector<msg::Stable> since_asked_;
  bool unannounced_ = false;  ///< the newest was not returned yet
  std::vector<std::string> superseded_;
};

}  // namespace gleaner::generation

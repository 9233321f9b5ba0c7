// SPDX-License-Identifier: Apache-2.0
/// When is a lost member of one node replaced, and when no more?
///
/// The first loss is made good at once.  Each further one waits twice as long,
/// unless the member before it lived for a while in the training.  Where one
/// process after the other ends before it was let in (two on one GPU, a
/// library that only this node lacks), the next would not be let in either:
/// after `vain_max` in a row, about a minute and a half, it is not started.
/// What trains there goes on, and is replaced as ever.
#pragma once

namespace gleaner::coordinator {

class Replacements {
 public:
  static constexpr int vain_max = 10;

  /// How far the lost member had got.
  enum class Fate { trained, never_in };

  /// Members were started on the node.
  void started(double now_s) { started_s_ = now_s; }

  /// A member was lost.  Several that are lost before the next start count
  /// once.
  void lost(double now_s, Fate fate);

  /// How many are to be started now; they are the caller's to start.
  int take_due(double now_s);

  /// The last one that was lost is not replaced.
  bool given_up() const { return vain_ >= vain_max; }

 private:
  int waiting_ = 0;
  int vain_ = 0;  ///< starts since a member was lost that had trained
  double due_s_ = 0;
  double pause_s_ = 0;  ///< before the next start
  double started_s_ = 0;
};

}  // namespace gleaner::coordinator

// SPDX-License-Identifier: Apache-2.0
/// Which checkpoint a training starts from: DIR/checkpoints/latest.json.
///
/// Only the coordinator moves it, and only to a file whose step cannot be
/// undone any more.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "runtime/generation/membership.hh"
#include "runtime/os/disk_queue.hh"

namespace gleaner::coordinator {

/// Paths of this run's checkpoints, up to a number; no other run's.
std::string checkpoint_prefix(std::string const& dir);

/// Moves the pointer, in a thread of its own: files may stand still, and the
/// training must not.
class CheckpointPointer {
 public:
  /// What could not be done; called by that thread.
  using OnTrouble = std::function<void(std::string const& why)>;

  CheckpointPointer(std::string dir, OnTrouble on_trouble);

  /// Point to this checkpoint, then remove those it supersedes.  When the
  /// pointer cannot be moved they stay, until it can be.  `after`: not before
  /// that is ready.
  void move_to(generation::membership::Register newest,
               std::shared_future<void> after);

  /// No member writes any more: what was begun with this prefix and did not
  /// get its name is removed.
  void remove_unfinished(std::string prefix);

  /// Wait until all of it is done, at most so long.  Whether it is.
  bool wait(double seconds) { return queue_.wait(seconds); }

 private:
  struct State;
  std::shared_ptr<State> state_;
  os::DiskQueue queue_;
};

/// None when there is none, or when the file is gone.
std::optional<generation::membership::Checkpoint> read_latest(
    std::string const& dir);

}  // namespace gleaner::coordinator

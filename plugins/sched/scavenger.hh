// SPDX-License-Identifier: Apache-2.0
/// The thread in slurmctld that looks for holes and tells gleanerd.
///
/// Protocol: connects to RUN_DIR/gleanerd.sock, says plugin_hello, then pushes
/// a `holes` message whenever the cluster changed and at least every five
/// seconds.  It looks when a datagram comes to RUN_DIR/wake.sock (which it
/// binds), when gleanerd says `scan_now`, and every scan_interval_ms.  Without
/// training jobs it looks, and pushes, every 30 s (slurm/scan_pacer.hh).
///
/// Invariants:
/// - While no gleanerd is connected nothing is asked of slurmctld.
/// - The thread takes no lock of slurmctld's that is held for longer than a few
///   instructions, and calls nothing of it but RPCs, the log, and what wakes
///   the scheduler (queue_look.hh), so it can be at any point when slurmctld
///   holds its locks.
/// - gleaner.yaml is looked at again by the thread itself.
#pragma once

#include <pthread.h>

#include <memory>

namespace gleaner::sched {

class Scavenger {
 public:
  /// Starts the thread.
  Scavenger();

  /// Stops it; waits for at most a second.  A thread that is then still in
  /// an RPC ends when the RPC does, and the plugin's code stays mapped for it.
  ~Scavenger();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  pthread_t thread_{};
  bool started_ = false;
};

}  // namespace gleaner::sched

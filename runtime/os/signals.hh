// SPDX-License-Identifier: Apache-2.0
/// How a library keeps its threads out of a program's signals.
#pragma once

#include <csignal>

namespace gleaner::os {

/// While it lives, threads started from this one take no signals: they are the
/// program's business.
class BlockAllSignals {
 public:
  BlockAllSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockAllSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockAllSignals(BlockAllSignals const&) = delete;

 private:
  sigset_t before_;
};

}  // namespace gleaner::os

// SPDX-License-Identifier: Apache-2.0
/// How a library writes to sockets in a program whose SIGPIPE is not its own.
#pragma once

#include <csignal>
#include <ctime>

namespace gleaner {

/// While it lives, a write of this thread to a closed socket is an error and
/// no signal.  For libraries that write without MSG_NOSIGNAL.
class BlockSigpipe {
 public:
  BlockSigpipe() {
    sigset_t pending;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~BlockSigpipe() {
    timespec const at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockSigpipe(BlockSigpipe const&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

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

}  // namespace gleaner

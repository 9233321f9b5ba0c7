// SPDX-License-Identifier: Apache-2.0
#include "proto/libcrypto_use.hh"

#include <openssl/crypto.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <shared_mutex>
#include <thread>

namespace gleaner::proto {
namespace {

using Clock = std::chrono::steady_clock;

/// In a forked child a user may be counted that is not there.
constexpr std::chrono::seconds users_wait{1};
/// A late thread sleeps.  Usually the process is gone before it wakes, so it
/// sends nothing wrong.  It wakes because other threads may wait for it.
constexpr std::chrono::seconds late_sleep{2};

struct Gate {
  std::shared_timed_mutex users;
  std::atomic<Clock::rep> closed_at{0};  ///< 0: open
};

void close_gate();

/// Never destroyed: threads look at it until the process is gone.
Gate& gate() {
  static Gate& made = []() -> Gate& {
    auto* const gate = new Gate;
    // Handlers run in reverse order of registration.  This call registers
    // libcrypto's own, unless that is done, so ours runs before it.  (Without
    // an option OPENSSL_init_crypto() does nothing.)
    OPENSSL_init_crypto(OPENSSL_INIT_ADD_ALL_DIGESTS, nullptr);
    std::atexit(close_gate);
    return *gate;
  }();
  return made;
}

void close_gate() {
  gate().closed_at = Clock::now().time_since_epoch().count();
  if (gate().users.try_lock_for(users_wait)) gate().users.unlock();
}

}  // namespace

LibcryptoUse::LibcryptoUse() {
  // Not locked first: that would keep exit() waiting.
  if (gate().closed_at == 0) {
    gate().users.lock_shared();
    may_ = gate().closed_at == 0;
    if (may_) return;
    gate().users.unlock_shared();
  }
  std::this_thread::sleep_until(
      Clock::time_point(Clock::duration(gate().closed_at)) + late_sleep);
}

LibcryptoUse::~LibcryptoUse() {
  if (may_) gate().users.unlock_shared();
}

}  // namespace gleaner::proto

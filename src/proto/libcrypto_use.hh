// SPDX-License-Identifier: Apache-2.0
/// May this thread call libcrypto, or is it being taken down?
///
/// libcrypto frees its data when the process calls exit(), while threads still
/// run: a member seals heartbeats until the last moment, whatever its program
/// does.  A thread that called libcrypto then crashed.
#pragma once

namespace gleaner::proto {

/// As long as one that is good exists, exit() waits for it, a second at most.
class LibcryptoUse {
 public:
  LibcryptoUse();
  ~LibcryptoUse();
  LibcryptoUse(LibcryptoUse const&) = delete;
  LibcryptoUse& operator=(LibcryptoUse const&) = delete;

  /// False from exit() on, and then two seconds late.
  explicit operator bool() const { return may_; }

 private:
  bool may_ = false;
};

}  // namespace gleaner::proto

// SPDX-License-Identifier: Apache-2.0
/// May this thread call libcrypto, or is it being taken down?
///
/// libcrypto frees what it has when its process calls exit(), while threads go
/// on: those of a member seal heartbeats until the last moment, whatever its
/// program does.  What called it then crashed.
#pragma once

namespace gleaner {

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

}  // namespace gleaner

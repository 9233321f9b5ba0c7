// SPDX-License-Identifier: Apache-2.0
/// Zeroed memory, for this process alone or for others to map as well.
#pragma once

#include <cstddef>

#include "runtime/os/fd.hh"

namespace gleaner::os {

enum class Sharing { none, by_descriptor };

/// Given back to the system when it goes.  Pages that were never touched cost
/// nothing.
class Memory {
 public:
  /// When there is none it is not good(), and errno says why.
  Memory(std::size_t bytes, Sharing sharing);
  ~Memory();
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;

  bool good() const;
  char* data() const { return static_cast<char*>(data_); }
  std::size_t bytes() const { return bytes_; }

  /// What another process maps, -1 when it is ours alone.
  int descriptor() const { return file_.get(); }

 private:
  std::size_t bytes_;
  Fd file_;
  void* data_;
};

}  // namespace gleaner::os

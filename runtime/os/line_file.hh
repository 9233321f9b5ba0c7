// SPDX-License-Identifier: Apache-2.0
/// How are lines added to a file by somebody who must never wait for a disk?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hh"
#include "runtime/os/disk_queue.hh"
#include "runtime/os/fd.hh"

namespace gleaner {

/// A file of lines, written by a thread.  Whoever reads it finds whole lines,
/// but perhaps for the last: one line is one write(2), and after a write that
/// was cut short by a full disk the next line begins on a line of its own.
///
/// While the file cannot be written, or stands still, lines wait; when more
/// than waiting_bytes_max wait, further ones are lost, and counted.
class LineFile {
 public:
  static constexpr std::size_t waiting_bytes_max = 16u << 20;

  struct Hooks {
    /// A line that says that so many were lost; written in their place.
    std::function<std::string(std::uint64_t lost)> lost_line;
    /// Called by the thread, when a line could not be written; again only
    /// after one could.
    std::function<void(std::string const& why)> on_trouble;
  };

  LineFile(Fd file, Hooks hooks);
  /// Waits for the disk for at most DiskQueue::patience_s.
  ~LineFile();

  /// Of a line that ends in '\n'.  Returns at once.  From any thread.
  void write(std::string line);

  /// Wait until all lines are written or lost, at most so long.
  bool wait(double seconds) { return queue_.wait(seconds); }

 private:
  struct State;
  std::shared_ptr<State> state_;
  DiskQueue queue_;
};

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// How does a thread that must never wait for a disk add lines to a file?
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "core/result.hh"
#include "runtime/os/disk_queue.hh"
#include "runtime/os/fd.hh"

namespace gleaner::os {

/// A file of lines.  A thread writes each with one write(2), so a reader finds
/// whole lines, except perhaps the last.
///
/// While the disk hangs or is full, lines wait; when more than
/// waiting_bytes_max wait, further ones are lost, and counted.
class LineFile {
 public:
  static constexpr std::size_t waiting_bytes_max = 16u << 20;

  struct Hooks {
    /// A line that says that so many were lost; written in their place.
    std::function<std::string(std::uint64_t lost)> lost_line;
    /// Called by the thread when a line cannot be written, which is tried
    /// again and again; and not called again before one could.
    std::function<void(std::string const& why)> on_trouble;
    /// The file that takes the place of this one; called by the thread.  If
    /// it cannot be made, an empty one: then the old one goes on.
    std::function<Fd()> next_file = {};
  };

  LineFile(Fd file, Hooks hooks);
  /// Waits for the disk for at most DiskQueue::patience_s.
  ~LineFile();

  /// Of a line that ends in '\n'.  Returns at once: whether it was kept.
  /// From any thread.
  bool write(std::string line);

  /// The same, as the first line of Hooks::next_file.  If the line is not
  /// kept, the old file goes on.
  bool write_in_next_file(std::string line);

  /// Ready once all lines that were given so far are on the disk, or lost.
  std::shared_future<void> all_on_disk();

  /// Wait up to `seconds` until all lines are written or lost.
  bool wait(double seconds) { return queue_.wait(seconds); }

 private:
  struct State;
  enum class In { this_file, next_file };
  bool add(std::string line, In in);

  std::shared_ptr<State> state_;
  DiskQueue queue_;
};

}  // namespace gleaner::os

// SPDX-License-Identifier: Apache-2.0
/// Lines that a thread writes.
#include "runtime/os/line_file.hh"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

namespace gleaner {

struct LineFile::State {
  State(Fd file, Hooks hooks)
      : file(std::move(file)), hooks(std::move(hooks)) {}

  Fd const file;
  Hooks const hooks;

  std::mutex mutex;
  std::deque<std::string> waiting;
  std::size_t waiting_bytes = 0;
  std::uint64_t lost = 0;
  bool written_by_thread = false;  ///< it was told to, and has not ended

  // The thread's own.
  bool torn = false;     ///< the last write ended inside a line
  bool trouble = false;  ///< the last line could not be written

  bool keep(std::string line);
  void write_waiting();
  void write(std::string line);
  void write_lost(std::uint64_t count);
};

/// Whether the thread is to be told.
bool LineFile::State::keep(std::string line) {
  std::lock_guard lock(mutex);
  if (waiting_bytes + line.size() > waiting_bytes_max) {
    ++lost;
    return false;
  }
  waiting_bytes += line.size();
  waiting.push_back(std::move(line));
  return !std::exchange(written_by_thread, true);
}

void LineFile::State::write_waiting() {
  std::unique_lock lock(mutex);
  while (!waiting.empty()) {
    auto line = std::move(waiting.front());
    waiting.pop_front();
    waiting_bytes -= line.size();
    // What was lost came after everything that waits.
    auto const missing = waiting.empty() ? std::exchange(lost, 0) : 0;
    lock.unlock();
    write(std::move(line));
    if (missing > 0) write_lost(missing);
    lock.lock();
  }
  written_by_thread = false;
}

void LineFile::State::write_lost(std::uint64_t count) {
  if (trouble) {  // it would be lost, too
    std::lock_guard lock(mutex);
    lost += count;
  } else if (hooks.lost_line) {
    write(hooks.lost_line(count));
  }
}

void LineFile::State::write(std::string line) {
  if (torn) line.insert(0, 1, '\n');
  std::size_t done = 0;
  while (done < line.size()) {
    auto const n = ::write(file.get(), line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += std::size_t(n);
  }
  if (done == line.size()) {
    torn = trouble = false;
    return;
  }
  auto const why = std::strerror(errno);
  torn = done > 0 || torn;
  if (!std::exchange(trouble, true) && hooks.on_trouble) hooks.on_trouble(why);
  std::lock_guard lock(mutex);
  ++lost;
}

LineFile::LineFile(Fd file, Hooks hooks)
    : state_(std::make_shared<State>(std::move(file), std::move(hooks))) {}

LineFile::~LineFile() = default;

void LineFile::write(std::string line) {
  if (state_->keep(std::move(line)))
    queue_.push([state = state_] { state->write_waiting(); });
}

}  // namespace gleaner

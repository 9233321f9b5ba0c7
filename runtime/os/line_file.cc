// SPDX-License-Identifier: Apache-2.0
/// Lines that a thread writes.
#include "runtime/os/line_file.hh"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>

namespace gleaner::os {

namespace {

constexpr std::chrono::milliseconds pause{250};

}  // namespace

struct LineFile::State {
  State(Fd file, Hooks hooks)
      : file(std::move(file)), hooks(std::move(hooks)) {}

  struct Line {
    std::string text;
    In in;
  };

  Fd file;  ///< the thread's, once there is one
  Hooks const hooks;

  std::mutex mutex;
  std::condition_variable ended;
  std::deque<Line> waiting;
  std::size_t waiting_bytes = 0;
  std::uint64_t lost = 0;
  bool thread_told = false;  ///< and it has not done it yet
  bool ends = false;         ///< what cannot be written now never will

  enum class Kept { no, yes, yes_tell_thread };
  Kept keep(Line line);
  void write_waiting();
  void begin_next_file();
  void write(std::string_view line);
  bool wait_for_disk();
};

LineFile::State::Kept LineFile::State::keep(Line line) {
  std::lock_guard lock(mutex);
  if (waiting_bytes + line.text.size() > waiting_bytes_max) {
    if (line.in == In::this_file) ++lost;
    return Kept::no;
  }
  waiting_bytes += line.text.size();
  waiting.push_back(std::move(line));
  return std::exchange(thread_told, true) ? Kept::yes : Kept::yes_tell_thread;
}

void LineFile::State::begin_next_file() {
  if (!hooks.next_file) return;
  // Its lines are among those that all_on_disk() promises.
  ::fdatasync(file.get());
  if (auto next = hooks.next_file()) file = std::move(next);
}

void LineFile::State::write_waiting() {
  std::unique_lock lock(mutex);
  while (!waiting.empty()) {
    auto const line = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    if (line.in == In::next_file) begin_next_file();
    write(line.text);
    lock.lock();
    // Until it is written it takes its place.
    waiting_bytes -= line.text.size();
    // What was lost came after everything that waits.
    auto const missing = waiting.empty() ? std::exchange(lost, 0) : 0;
    if (missing == 0 || !hooks.lost_line) continue;
    lock.unlock();
    write(hooks.lost_line(missing));
    lock.lock();
  }
  thread_told = false;
}

void LineFile::State::write(std::string_view line) {
  bool told = false;
  while (!line.empty()) {
    auto const n = ::write(file.get(), line.data(), line.size());
    if (n > 0) {
      line.remove_prefix(std::size_t(n));
    } else if (n == 0 || errno != EINTR) {
      if (!std::exchange(told, true) && hooks.on_trouble)
        hooks.on_trouble(std::strerror(errno));
      if (!wait_for_disk()) return;
    }
  }
}

/// Whether to try again.
bool LineFile::State::wait_for_disk() {
  std::unique_lock lock(mutex);
  return !ended.wait_for(lock, pause, [&] { return ends; });
}

LineFile::LineFile(Fd file, Hooks hooks)
    : state_(std::make_shared<State>(std::move(file), std::move(hooks))) {}

LineFile::~LineFile() {
  std::lock_guard lock(state_->mutex);
  state_->ends = true;
  state_->ended.notify_all();
}

std::shared_future<void> LineFile::all_on_disk() {
  auto const promise = std::make_shared<std::promise<void>>();
  queue_.push([state = state_, promise] {
    state->write_waiting();
    if (::fdatasync(state->file.get()) != 0 && errno == EIO &&
        state->hooks.on_trouble)
      state->hooks.on_trouble(std::strerror(errno));
    promise->set_value();
  });
  return promise->get_future().share();
}

bool LineFile::write(std::string line) {
  return add(std::move(line), In::this_file);
}

bool LineFile::write_in_next_file(std::string line) {
  return add(std::move(line), In::next_file);
}

bool LineFile::add(std::string line, In in) {
  auto const kept = state_->keep({std::move(line), in});
  if (kept == State::Kept::yes_tell_thread)
    queue_.push([state = state_] { state->write_waiting(); });
  return kept != State::Kept::no;
}

}  // namespace gleaner::os

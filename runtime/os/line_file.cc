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

  Fd const file;
  Hooks const hooks;

  std::mutex mutex;
  std::condition_variable ended;
  std::deque<std::string> waiting;
  std::size_t waiting_bytes = 0;
  std::uint64_t lost = 0;
  bool thread_told = false;  ///< and it has not done it yet
  bool ends = false;         ///< what cannot be written now never will

  bool keep(std::string line);
  void write_waiting();
  void write(std::string_view line);
  bool wait_for_disk();
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
  return !std::exchange(thread_told, true);
}

void LineFile::State::write_waiting() {
  std::unique_lock lock(mutex);
  while (!waiting.empty()) {
    auto const line = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    write(line);
    lock.lock();
    // Until it is written it takes its place.
    waiting_bytes -= line.size();
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

void LineFile::write(std::string line) {
  if (state_->keep(std::move(line)))
    queue_.push([state = state_] { state->write_waiting(); });
}

}  // namespace gleaner::os

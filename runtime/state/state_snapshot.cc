// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/state_snapshot.hh"

#include <algorithm>
#include <cstring>

#include "runtime/os/memory_pages.hh"
#include "runtime/state/transfer.hh"

namespace gleaner::state {
namespace {

/// Small enough that an update does not wait long for the piece that another
/// thread is at.
constexpr std::size_t piece_bytes = 1 << 20;

std::size_t bytes_of(std::vector<std::vector<Span>> const& parts) {
  std::size_t bytes = 0;
  for (auto const& part : parts) bytes += total_bytes(part);
  return bytes;
}

}  // namespace

StateSnapshot::StateSnapshot(std::vector<std::vector<Span>> const& parts)
    : room_(std::max<std::size_t>(bytes_of(parts), 1), os::Sharing::none) {
  if (!good()) return;
  auto* to = room_.data();
  for (auto const& part : parts) {
    auto& copied = copied_.emplace_back();
    for (auto const& span : part) {
      copied.push_back({to, span.bytes});
      for (std::size_t at = 0; at < span.bytes; at += piece_bytes)
        left_.push_back(
            {span.data + at, to + at, std::min(piece_bytes, span.bytes - at)});
      to += span.bytes;
    }
  }
}

void StateSnapshot::provide() {
  os::provide_pages(room_.data(), room_.bytes());
}

void StateSnapshot::copy() {
  std::unique_lock lock(mutex_);
  while (!left_.empty()) {
    auto const piece = left_.back();
    left_.pop_back();
    ++copying_;
    lock.unlock();
    std::memcpy(piece.to, piece.from, piece.bytes);
    lock.lock();
    if (--copying_ == 0) changed_.notify_all();
  }
  changed_.wait(lock, [&] { return copying_ == 0; });
}

void StateSnapshot::stop() {
  std::unique_lock lock(mutex_);
  left_.clear();
  changed_.wait(lock, [&] { return copying_ == 0; });
}

}  // namespace gleaner::state

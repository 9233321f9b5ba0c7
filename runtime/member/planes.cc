// SPDX-License-Identifier: Apache-2.0
#include "runtime/member/planes.hh"

namespace gleaner::member {

void Planes::connect(msg::Generation generation, int rank, int size,
                     double timeout_s) {
  auto entry = std::make_shared<Entry>();
  {
    std::lock_guard lock(mutex_);
    entries_[generation] = entry;
  }
  background_.run([=, this] { run(generation, entry, rank, size, timeout_s); });
}

/// On a thread of its own.
void Planes::run(msg::Generation generation, std::shared_ptr<Entry> entry,
                 int rank, int size, double timeout_s) {
  auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_s));
  auto options = options_;
  options.rank = rank;
  options.size = size;
  options.generation = generation;
  auto made = comm::make_plane(kind_, options);
  if (!made) return on_connected_(generation, made.error());
  std::shared_ptr<comm::Plane> plane = std::move(*made);
  {
    std::lock_guard lock(mutex_);
    if (entry->dropped) return;
    entry->plane = plane;
  }
  auto done = plane->connect(
      [&](std::string const& key, std::string const& blob) {
        return exchange(generation, *entry, key, blob, end);
      },
      timeout_s);
  {
    std::lock_guard lock(mutex_);
    if (entry->dropped) return;
    entry->connected = bool(done);
  }
  on_connected_(generation, done);
}

Result<std::vector<std::string>> Planes::exchange(msg::Generation generation,
                                                  Entry& entry,
                                                  std::string const& key,
                                                  std::string const& blob,
                                                  Clock::time_point end) {
  send_blob_({generation, key, blob});
  std::unique_lock lock(mutex_);
  bool const come = changed_.wait_until(
      lock, end, [&] { return entry.dropped || entry.blobs.count(key); });
  if (entry.dropped)
    return Error{Errc::unavailable, "the generation was given up"};
  if (!come)
    return Error{Errc::timed_out,
                 "the other members' contact data did not come"};
  return entry.blobs[key];
}

void Planes::take(msg::PlaneBlobs const& blobs) {
  std::lock_guard lock(mutex_);
  auto it = entries_.find(blobs.generation);
  if (it == entries_.end()) return;
  it->second->blobs[blobs.key] = blobs.blobs;
  changed_.notify_all();
}

std::shared_ptr<comm::Plane> Planes::find(msg::Generation generation) {
  std::lock_guard lock(mutex_);
  auto it = entries_.find(generation);
  if (it == entries_.end() || !it->second->connected) return nullptr;
  return it->second->plane;
}

void Planes::drop(msg::Generation generation) {
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex_);
    auto it = entries_.find(generation);
    if (it == entries_.end()) return;
    entry = it->second;
    entries_.erase(it);
    entry->dropped = true;
    changed_.notify_all();
  }
  retire(std::move(entry));
}

void Planes::drop_all() {
  std::map<msg::Generation, std::shared_ptr<Entry>> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(entries_);
    for (auto const& [generation, entry] : all) entry->dropped = true;
    changed_.notify_all();
  }
  for (auto& [generation, entry] : all) retire(std::move(entry));
}

/// To stop a plane takes a moment, to destroy it up to 10 ms: not here.
void Planes::retire(std::shared_ptr<Entry> entry) {
  std::shared_ptr<comm::Plane> plane;
  {
    std::lock_guard lock(mutex_);
    plane = std::move(entry->plane);
  }
  if (!plane) return;
  plane->stop();
  background_.run([plane = std::move(plane)]() mutable { plane.reset(); });
}

}  // namespace gleaner::member

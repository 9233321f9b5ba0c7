// SPDX-License-Identifier: Apache-2.0
/// The rhythm of looking.
#include "daemon/io/poller.hh"

#include <chrono>

namespace gleaner::daemon {

Poller::Poller(asio::io_context& io, SlurmWorker& worker, Clock const& clock,
               std::unique_ptr<slurm::SnapshotSource> source,
               OnSnapshot on_snapshot)
    : worker_(worker),
      clock_(clock),
      source_(std::move(source)),
      on_snapshot_(std::move(on_snapshot)),
      timer_(io) {}

void Poller::start(Config const& config) {
  pacer_ =
      slurm::ScanPacer({config.scan_interval_ms / 1e3,
                        config.scan_gap_ms_min / 1e3, config.scan_share_max});
  look_again();
}

void Poller::arm() {
  timer_.expires_after(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(pacer_.wait_s(clock_.monotonic_s()))));
  timer_.async_wait([this](asio::error_code error) {
    if (!error) look();
  });
}

void Poller::look_again() { hint(slurm::ScanPacer::Cause::training); }

void Poller::hint(slurm::ScanPacer::Cause cause) {
  pacer_.wake(clock_.monotonic_s(), cause);
  if (!looking_) arm();
}

void Poller::look() {
  if (looking_) return;
  auto const now_s = clock_.monotonic_s();
  if (pacer_.wait_s(now_s) > 0 || !pacer_.may_look(now_s, slurm::Change::sure))
    return arm();
  looking_ = worker_.submit(
      SlurmWorker::Urgency::in_turn,
      [this, source = source_, &clock = clock_]() -> SlurmWorker::Then {
        auto const begin_s = clock.monotonic_s();
        auto const cpu_begin_s = thread_cpu_s();
        auto loaded = source->load(clock.wall_s());
        Look look{std::move(loaded), begin_s, clock.monotonic_s(),
                  thread_cpu_s() - cpu_begin_s};
        return [this, look = std::move(look)] { finish(look); };
      });
  if (looking_) return;
  pacer_.skip(now_s);  // the queue is full
  arm();
}

void Poller::finish(Look const& look) {
  looking_ = false;
  pacer_.looked(look.begin_s, look.end_s, look.cpu_s);
  if (look.loaded) pacer_.set_in_use(look.loaded->snapshot.is_in_use());
  arm();
  if (look.loaded) return on_snapshot_(look.loaded->snapshot);
  throttle_.log(LogLevel::warn, "load",
                LogLine("look_failed").kv("why", look.loaded.error().message),
                look.end_s);
}

}  // namespace gleaner::daemon

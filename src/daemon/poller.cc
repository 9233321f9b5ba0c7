// SPDX-License-Identifier: Apache-2.0
/// The rhythm of looking.
#include "daemon/poller.hh"

#include <algorithm>
#include <chrono>

namespace gleaner {

Poller::Poller(asio::io_context& io, SlurmWorker& worker, Clock const& clock,
               std::unique_ptr<SnapshotSource> source, OnSnapshot on_snapshot)
    : worker_(worker),
      clock_(clock),
      source_(std::move(source)),
      on_snapshot_(std::move(on_snapshot)),
      timer_(io) {}

void Poller::start(Config const& config) {
  interval_s_ = config.scan_interval_ms / 1000.0;
  gap_s_ = config.scan_gap_ms_min / 1000.0;
  look_again();
}

void Poller::arm(double seconds) {
  timer_.expires_after(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(seconds)));
  timer_.async_wait([this](asio::error_code error) {
    if (!error) look();
  });
}

void Poller::look_again() {
  again_ = true;
  if (looking_) return;
  arm(std::max(0.0, looked_s_ + gap_s_ - clock_.monotonic_s()));
}

void Poller::look() {
  if (looking_) return;
  again_ = false;
  looking_ = worker_.submit(
      SlurmWorker::Urgency::in_turn,
      [this, source = source_, now_s = clock_.wall_s()]() -> SlurmWorker::Then {
        auto loaded = source->load(now_s);
        return [this, loaded = std::move(loaded)] { finish(loaded); };
      });
  if (!looking_) arm(interval_s_);
}

void Poller::finish(Result<Loaded> loaded) {
  looking_ = false;
  looked_s_ = clock_.monotonic_s();
  arm(again_ ? gap_s_ : interval_s_);
  if (loaded) return on_snapshot_(std::move(loaded->snapshot));
  throttle_.log(LogLevel::warn, "load",
                LogLine("look_failed").kv("why", loaded.error().message),
                looked_s_);
}

}  // namespace gleaner

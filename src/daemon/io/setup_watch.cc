// SPDX-License-Identifier: Apache-2.0
/// Regular checks, and what follows from them.
#include "daemon/io/setup_watch.hh"

#include <chrono>

namespace gleaner::daemon {
namespace {

constexpr double settled_s = 30;   ///< between checks while all is well
constexpr double unsettled_s = 2;  ///< while leases are not possible

bool can_lend(slurm::SlurmSetup const& setup) {
  return setup.guarded && setup.licensed && !setup.refuses();
}

}  // namespace

SetupWatch::SetupWatch(asio::io_context& io, SlurmWorker& worker,
                       Clock const& clock,
                       std::shared_ptr<slurm::SlurmControl> control,
                       OnSetup on_setup)
    : worker_(worker),
      clock_(clock),
      control_(std::move(control)),
      on_setup_(std::move(on_setup)),
      timer_(io) {}

void SetupWatch::start(Config const& config) {
  observe_ = config.mode == Config::Mode::observe;
  check_soon();
}

void SetupWatch::check_soon() { arm(0); }

void SetupWatch::arm(double seconds) {
  timer_.expires_after(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(seconds)));
  timer_.async_wait([this](asio::error_code error) {
    if (!error) look();
  });
}

SetupWatch::Outcome SetupWatch::check(slurm::SlurmControl& control,
                                      bool observe) {
  auto setup = control.check();
  if (!setup || observe) return {setup, {}};
  if (!setup->guarded) return {setup, control.remove_reservation()};
  if (!can_lend(*setup)) return {setup, {}};
  return {setup, control.keep_reservation()};
}

void SetupWatch::look() {
  if (looking_) return;
  looking_ = worker_.submit(
      SlurmWorker::Urgency::in_turn,
      [this, control = control_, observe = observe_]() -> SlurmWorker::Then {
        auto outcome = check(*control, observe);
        return [this, outcome = std::move(outcome)] { finish(outcome); };
      });
  if (!looking_) arm(unsettled_s);
}

void SetupWatch::finish(Outcome const& outcome) {
  looking_ = false;
  if (!outcome.setup) {
    // Nothing is known, so nothing changes: without snapshots nothing is lent.
    throttle_.log(
        LogLevel::warn, "check",
        LogLine("setup_unknown").kv("why", outcome.setup.error().message),
        clock_.monotonic_s());
    return arm(unsettled_s);
  }
  report(*outcome.setup);
  if (!outcome.reservation)
    throttle_.log(LogLevel::error, "reservation",
                  LogLine("reservation_failed")
                      .kv("why", outcome.reservation.error().message),
                  clock_.monotonic_s());
  bool const lending = can_lend(*outcome.setup) && outcome.reservation;
  on_setup_(lending, *outcome.setup);
  arm(lending ? settled_s : unsettled_s);
}

/// Each finding once, and again when the findings change.
void SetupWatch::report(slurm::SlurmSetup const& setup) {
  using Severity = slurm::Finding::Severity;
  std::string all = setup.version;
  for (auto const& finding : setup.findings)
    if (finding.severity != Severity::ok) all += '\n' + finding.text();
  if (all == reported_) return;
  reported_ = all;
  for (auto const& finding : setup.findings) {
    if (finding.severity == Severity::ok) continue;
    bool const refuses = finding.severity == Severity::refuse;
    log_to_stderr(refuses ? LogLevel::error : LogLevel::warn,
                  LogLine(refuses ? "setup_error" : "setup_warning")
                      .kv("what", finding.text()));
  }
  log_to_stderr(
      LogLevel::info,
      LogLine("setup_checked")
          .kv("slurm", setup.version)
          .kv("lending", can_lend(setup) ? "possible" : "impossible"));
}

}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// The scavenger's loop.
#include "plugins/sched/scavenger_loop.hh"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "plugins/sched/queue_look.hh"
#include "plugins/sched/table_times.hh"
#include "plugins/slurm_log.hh"
#include "proto/daemon_messages.hh"
#include "proto/snapshot_change.hh"
#include "slurm/compat.hh"

namespace gleaner::sched {
namespace {

constexpr double repeat_s = 5;  ///< push an unchanged snapshot this often
constexpr double retry_s_min = 0.1;
constexpr double retry_s_max = 1;

std::string slurm_version() {
  auto const two = [](int n) {
    return (n < 10 ? "0" : "") + std::to_string(n);
  };
  return two(SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER)) + "." +
         two(SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER)) + "." +
         std::to_string(SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
}

/// Says it in the log.
bool warn_of(Error const& error) {
  plugins::log_to_slurm(LogLevel::warn,
                        LogLine("look_failed").kv("why", error.message));
  return true;
}

bool same_cluster_view(Config const& a, Config const& b) {
  return a.lease_partition == b.lease_partition &&
         a.head_partition == b.head_partition &&
         a.reservation == b.reservation && a.lend_cloud == b.lend_cloud &&
         a.lease == b.lease && a.parts_partitions == b.parts_partitions &&
         a.parts_per_node_max == b.parts_per_node_max &&
         a.scan_interval_ms == b.scan_interval_ms &&
         a.scan_gap_ms_min == b.scan_gap_ms_min &&
         a.scan_share_max == b.scan_share_max;
}

}  // namespace

void ScavengerLoop::reconfigure() {
  auto const known = settings_.now();
  auto const& now = known->config;
  if (!source_ || !same_cluster_view(now, config_)) {
    source_ = slurm::make_slurm_source(slurm::snapshot_options(now),
                                       table_times_of_slurmctld());
    pacer_.emplace(slurm::ScanPacer::Limits{now.scan_interval_ms / 1e3,
                                            now.scan_gap_ms_min / 1e3,
                                            now.scan_share_max});
  }
  if (now.run_dir != config_.run_dir ||
      now.scavenger != Config::Scavenger::plugin) {
    link_.close();
    wake_.close();  // hints then go to gleanerd
  }
  config_ = now;
}

void ScavengerLoop::lost(Error const& error) {
  plugins::log_to_slurm(
      LogLevel::info,
      looks_.add_to(LogLine("gleanerd_lost").kv("why", error.message),
                    clock_.monotonic_s()));
  retry_at_s_ = clock_.monotonic_s() + retry_s_min;
}

void ScavengerLoop::try_connect() {
  auto const hello = msg::to_json(msg::FromPlugin(
      msg::PluginHello{"sched_gleaner", slurm_version(), can_look_at_queue()}));
  auto const connected =
      link_.connect(config_.run_dir + "/gleanerd.sock", hello);
  if (!connected) {
    // A gleanerd that is not there is said once, and again when the reason is
    // another one.
    if (connected.error().message != not_found_)
      plugins::log_to_slurm(LogLevel::info,
                            LogLine("gleanerd_not_found")
                                .kv("dir", config_.run_dir)
                                .kv("why", connected.error().message));
    not_found_ = connected.error().message;
    retry_at_s_ = clock_.monotonic_s() + std::max(retry_s_, retry_s_min);
    retry_s_ = std::clamp(2 * retry_s_, retry_s_min, retry_s_max);
    return;
  }
  retry_s_ = retry_s_min;
  not_found_.clear();
  pacer_->wake(clock_.monotonic_s());
  pushed_at_s_ = never;
  sent_.reset();
  owed_ = false;
  looks_.begin(clock_.monotonic_s());
  bool const bound = wake_.bind(config_.run_dir + "/wake.sock");
  if (!bound && !wake_failed_)
    plugins::log_to_slurm(LogLevel::warn, LogLine("wake_socket_failed")
                                              .kv("dir", config_.run_dir)
                                              .kv("why", std::strerror(errno)));
  wake_failed_ = !bound;
  plugins::log_to_slurm(LogLevel::info,
                        LogLine("gleanerd_found").kv("dir", config_.run_dir));
}

void ScavengerLoop::look_if_due() {
  auto const now_s = clock_.monotonic_s();
  auto const change = source_->change(clock_.wall_s());
  if (pacer_->may_look(now_s, change)) return look();
  if (change == slurm::Change::none && now_s >= pushed_at_s_ + repeat_s)
    push(0);
}

void ScavengerLoop::look() {
  auto const begin_s = clock_.monotonic_s();
  auto const cpu_begin_s = thread_cpu_s();
  auto loaded = source_->load(clock_.wall_s());
  auto const took_s = clock_.monotonic_s() - begin_s;
  load_failed_ = !loaded && (load_failed_ || warn_of(loaded.error()));
  if (loaded) {
    snapshot_ = std::move(loaded->snapshot);
    pacer_->set_in_use(snapshot_.is_in_use());
    if (loaded->changed || begin_s + took_s >= pushed_at_s_ + repeat_s)
      push(took_s);
  }
  auto const end_s = clock_.monotonic_s();
  auto const cpu_s = thread_cpu_s() - cpu_begin_s;
  pacer_->looked(begin_s, end_s, cpu_s);
  looks_.add(end_s - begin_s,
             slurm::LookBudget::cost_s(end_s - begin_s, cpu_s));
}

/// Only what gleanerd does not have.  While it has not read the last message it
/// is owed the next one, which is then the newest.
void ScavengerLoop::push(double took_s) {
  owed_ = link_.wants_to_write();
  if (owed_) return;
  snapshot_.time_s = clock_.wall_s();
  if (sent_) {
    auto change = proto::make_change(snapshot_, *sent_);
    change.took_s = took_s;
    link_.send(msg::to_json(msg::FromPlugin(std::move(change))));
  } else {
    link_.send(msg::to_json(msg::FromPlugin(msg::Holes{snapshot_, took_s})));
  }
  sent_ = snapshot_;
  pushed_at_s_ = clock_.monotonic_s();
}

double ScavengerLoop::wait_s() const {
  auto const now_s = clock_.monotonic_s();
  if (config_.scavenger != Config::Scavenger::plugin) return repeat_s;
  if (!link_.connected()) return std::max(0.0, retry_at_s_ - now_s);
  return pacer_->wait_s(now_s);
}

void ScavengerLoop::turn(int stop_fd) {
  reconfigure();
  short const link_events = link_.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
  // poll() passes over negative descriptors.
  pollfd fds[] = {{stop_fd, POLLIN, 0},
                  {wake_.fd(), POLLIN, 0},
                  {link_.fd(), link_events, 0}};
  // gleaner.yaml is read again meanwhile.
  auto const wait_ms =
      static_cast<int>(std::ceil(std::min(wait_s(), repeat_s) * 1e3));
  if (poll(fds, 3, wait_ms) < 0 && errno != EINTR) return;
  if (fds[0].revents) return;
  if (fds[1].revents)
    if (auto const cause = wake_.drain())
      pacer_->wake(clock_.monotonic_s(), *cause);
  if (fds[2].revents) {
    auto const asked = link_.ready();
    if (!asked) return lost(asked.error());
    if (asked->queue_look) look_at_queue();
    if (asked->scans > 0) pacer_->wake(clock_.monotonic_s());
    if (owed_) push(0);
  }
  if (config_.scavenger != Config::Scavenger::plugin || wait_s() > 0) return;
  link_.connected() ? look_if_due() : try_connect();
}

}  // namespace gleaner::sched

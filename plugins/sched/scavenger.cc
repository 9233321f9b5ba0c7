// SPDX-License-Identifier: Apache-2.0
/// Starting and ending the scavenger's thread.
#include "plugins/sched/scavenger.hh"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "plugins/c_guard.hh"
#include "plugins/sched/scavenger_loop.hh"
#include "plugins/slurm_log.hh"

namespace gleaner::sched {
namespace {

constexpr double rest_s = 1;  ///< after an exception
constexpr time_t stop_s_max = 1;

/// A place in this plugin's code.
char const here = 0;

}  // namespace

struct Scavenger::Shared {
  std::atomic<bool> stop{false};
  int stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  ~Shared() {
    if (stop_fd >= 0) close(stop_fd);
  }

  void run() {
    std::optional<ScavengerLoop> loop;
    while (!stop.load()) {
      // After an exception the state of the loop is unknown: begin again.
      bool const ok = plugins::guard(false, plugins::log_exception, [&] {
        if (!loop) loop.emplace();
        loop->turn(stop_fd);
        return true;
      });
      if (ok) continue;
      loop.reset();
      pollfd fd{stop_fd, POLLIN, 0};
      (void)poll(&fd, 1, static_cast<int>(rest_s * 1e3));
    }
  }

  /// The thread owns its share, so that it may outlive the plugin's.
  static void* enter(void* own_share) {
    std::unique_ptr<std::shared_ptr<Shared>> const shared(
        static_cast<std::shared_ptr<Shared>*>(own_share));
    pthread_setname_np(pthread_self(), "gleaner_scav");
    (*shared)->run();
    return nullptr;
  }
};

Scavenger::Scavenger() : shared_(std::make_shared<Shared>()) {
  // Signals are for slurmctld's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto share = std::make_unique<std::shared_ptr<Shared>>(shared_);
  if (pthread_create(&thread_, nullptr, Shared::enter, share.get()) == 0)
    started_ = share.release() != nullptr;
  else
    plugins::log_to_slurm(
        LogLevel::error,
        LogLine("scavenger_not_started").kv("why", std::strerror(errno)));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Scavenger::~Scavenger() {
  if (!started_) return;
  shared_->stop = true;
  std::uint64_t const one = 1;
  (void)!write(shared_->stop_fd, &one, sizeof one);
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += stop_s_max;
  if (pthread_timedjoin_np(thread_, nullptr, &until) == 0) return;
  pthread_detach(thread_);
  Dl_info self{};
  if (dladdr(&here, &self))
    (void)dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  plugins::log_to_slurm(LogLevel::warn, LogLine("scavenger_still_in_rpc"));
}

}  // namespace gleaner::sched

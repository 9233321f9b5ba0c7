// SPDX-License-Identifier: Apache-2.0
/// Reading gleaner.yaml inside slurmctld.
#include "plugins/settings.hh"

#include "core/local_disk.hh"
#include "plugins/c_guard.hh"
#include "plugins/slurm_log.hh"

namespace gleaner::plugins {
namespace {

bool same_file(struct stat const& a, struct stat const& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/// `path` is on a disk of this machine; else what follows is logged.
bool may_be_read_often(std::string const& path) {
  auto const local = check_local_disk(path);
  if (!local)
    log_to_slurm(LogLevel::warn, LogLine("configuration_read_at_start_only")
                                     .kv("why", local.error().message));
  return bool(local);
}

}  // namespace

Settings::Settings(LastGood last_good)
    : path_(config_path()),
      on_local_disk_(may_be_read_often(path_)),
      last_good_(std::move(last_good)) {
  auto kept = last_good_.load();
  known_ = std::make_shared<Known const>(
      Known{kept ? std::move(*kept) : default_config(), ""});
  // Differs from any file, and from there being none.
  seen_.st_size = -1;
  read_if_changed();
}

std::shared_ptr<Settings::Known const> Settings::now() noexcept {
  if (std::unique_lock const turn(reading_, std::try_to_lock);
      turn && on_local_disk_)
    guard(0, log_exception, [&] { return read_if_changed(), 0; });
  return known();
}

std::shared_ptr<Settings::Known const> Settings::known() const noexcept {
  std::lock_guard const lock(handing_over_);
  return known_;
}

/// Called by one thread at a time.
void Settings::read_if_changed() {
  struct stat file {};
  if (stat(path_.c_str(), &file) != 0) file = {};
  if (same_file(file, seen_)) return;
  read_file();
  seen_ = file;
}

void Settings::read_file() {
  auto const read = load_config(path_);
  auto next = std::make_shared<Known const>(
      read ? Known{*read, ""} : Known{known()->config, read.error().message});
  {
    std::lock_guard const lock(handing_over_);
    known_ = next;
  }
  if (!read)
    log_to_slurm(LogLevel::error,
                 LogLine("configuration_unreadable").kv("why", next->error));
  else if (auto kept = last_good_.keep(*read); !kept)
    log_to_slurm(
        LogLevel::error,
        LogLine("configuration_not_kept").kv("why", kept.error().message));
}

}  // namespace gleaner::plugins

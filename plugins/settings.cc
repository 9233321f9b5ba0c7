// SPDX-License-Identifier: Apache-2.0
/// Reading gleaner.yaml inside slurmctld.
#include "plugins/settings.hh"

#include "plugins/slurm_log.hh"

namespace gleaner {
namespace {

bool same_file(struct stat const& a, struct stat const& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

Settings::Settings() : path_(config_path()) {
  // Differs from any file, and from there being none.
  seen_.st_size = -1;
  known_ = std::make_shared<Known const>(Known{default_config(), ""});
  read_if_changed();
}

std::shared_ptr<Settings::Known const> Settings::now() {
  if (std::unique_lock const turn(reading_, std::try_to_lock); turn)
    read_if_changed();
  return known();
}

std::shared_ptr<Settings::Known const> Settings::known() const {
  std::lock_guard const lock(handing_over_);
  return known_;
}

/// Called by one thread at a time.
void Settings::read_if_changed() {
  struct stat file {};
  if (stat(path_.c_str(), &file) != 0) file = {};
  if (same_file(file, seen_)) return;
  auto const read = load_config(path_);
  auto next = read ? std::make_shared<Known const>(Known{*read, ""})
                   : std::make_shared<Known const>(
                         Known{known()->config, read.error().message});
  if (!read)
    log_to_slurm(LogLevel::error,
                 LogLine("configuration_unreadable").kv("why", next->error));
  seen_ = file;
  std::lock_guard const lock(handing_over_);
  known_.swap(next);
}

}  // namespace gleaner

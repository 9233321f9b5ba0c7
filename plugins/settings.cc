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

Settings::Settings() : path_(config_path()), config_(default_config()) {
  // Differs from any file, and from there being none.
  seen_.st_size = -1;
  refresh();
}

void Settings::refresh() {
  struct stat now {};
  if (stat(path_.c_str(), &now) != 0) now = {};
  if (same_file(now, seen_)) return;
  seen_ = now;
  auto read = load_config(path_);
  if (read) {
    config_ = *read;
    error_.clear();
    return;
  }
  error_ = read.error().message;
  log_to_slurm(LogLevel::error,
               LogLine("configuration_unreadable").kv("why", error_));
}

}  // namespace gleaner

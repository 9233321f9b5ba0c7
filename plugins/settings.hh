// SPDX-License-Identifier: Apache-2.0
/// gleaner.yaml as a plugin sees it: read again when it changes, never fatal.
///
/// Shared by slurmctld's threads: since Slurm 23.02 it calls job_submit from
/// several at once.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <mutex>
#include <string>

#include "core/config.hh"

namespace gleaner {

class Settings {
 public:
  /// What is known of the file.  Never changes: a caller works with one to its
  /// end, whatever other threads read meanwhile.
  struct Known {
    Config config;      ///< of the last file that could be read, else defaults
    std::string error;  ///< why the file as it is now cannot be used, else ""
  };

  /// Reads the file config_path() names.
  Settings();

  /// What is known now.  Reads the file again if it has changed: one stat(2)
  /// when it has not.  When it cannot be read the values before stay, at first
  /// the built-in defaults, and a line is written to slurmctld's log, once.
  ///
  /// Waits for no other thread's reading: while one reads, the others get what
  /// was known before.  Throws std::bad_alloc only.
  std::shared_ptr<Known const> now();

 private:
  void read_if_changed();
  std::shared_ptr<Known const> known() const;

  std::string const path_;

  std::mutex reading_;               ///< held while the file is looked at
  struct stat seen_ {};              ///< the file when it was read last
  mutable std::mutex handing_over_;  ///< held to copy or replace known_
  std::shared_ptr<Known const> known_;
};

}  // namespace gleaner

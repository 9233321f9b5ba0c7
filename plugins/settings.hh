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
#include "plugins/last_good.hh"

namespace gleaner::plugins {

class Settings {
 public:
  /// What is known of the file.  Never changes: a caller works with one to its
  /// end, whatever other threads read meanwhile.
  struct Known {
    Config config;      ///< of the last file that could be read
    std::string error;  ///< why the file as it is now cannot be used, else ""
  };

  /// Reads the file config_path() names.  While it cannot be read, `config` is
  /// what `last_good` has kept, or the built-in defaults.
  explicit Settings(LastGood last_good = LastGood(""));

  /// What is known now.  Reads the file again if it has changed: one stat(2)
  /// when it has not.  When it cannot be read the values before stay, and a
  /// line is written to slurmctld's log, once.  A file on a network file system
  /// is read by the constructor alone.
  ///
  /// Waits for no other thread's reading: while one reads, the others get what
  /// was known before, and so does a thread that has no memory to read it.
  std::shared_ptr<Known const> now() noexcept;

 private:
  void read_if_changed();
  void read_file();
  std::shared_ptr<Known const> known() const noexcept;

  std::string const path_;
  bool const on_local_disk_;

  std::mutex reading_;   ///< held while the file is looked at
  struct stat seen_ {};  ///< the file when it was read last
  LastGood last_good_;

  mutable std::mutex handing_over_;  ///< held to copy or replace known_
  std::shared_ptr<Known const> known_;
};

}  // namespace gleaner::plugins

// SPDX-License-Identifier: Apache-2.0
/// gleaner.yaml as a plugin sees it: read again when it changes, never fatal.
#pragma once

#include <sys/stat.h>

#include <string>

#include "core/config.hh"

namespace gleaner {

class Settings {
 public:
  /// Reads the file config_path() names; see refresh().
  Settings();

  /// Read the file again if it has changed: one stat(2) when it has not.
  /// When it cannot be read the values before stay, at first the built-in
  /// defaults, and a line is written to slurmctld's log, once.
  void refresh();

  Config const& config() const { return config_; }

  /// Why the file as it is now cannot be used; "" when it can.
  std::string const& error() const { return error_; }

 private:
  std::string path_;
  Config config_;
  std::string error_;
  struct stat seen_ {};
};

}  // namespace gleaner

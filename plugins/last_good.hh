// SPDX-License-Identifier: Apache-2.0
/// The last gleaner.yaml that could be read, kept over a restart of slurmctld.
///
/// A slurmctld that starts while gleaner.yaml cannot be read must still know
/// which partition, reservation, licence, account and QOS to guard.
#pragma once

#include <string>

#include "core/config.hh"
#include "core/result.hh"

namespace gleaner::plugins {

class LastGood {
 public:
  /// Kept in the file `path`, which need not exist; with "" nothing is kept.
  explicit LastGood(std::string path) : path_(std::move(path)) {}

  /// What was kept.  Fails with not_found when nothing was, and with io or
  /// invalid_argument when it cannot be used.
  Result<Config> load() const;

  /// Keep `config`: on disk when this returns, whole or not at all.  Writes
  /// only what differs from what this object has kept before.
  Result<void> keep(Config const& config);

 private:
  std::string path_;
  std::string kept_;
};

}  // namespace gleaner::plugins

// SPDX-License-Identifier: Apache-2.0
/// What happened, kept in STATE_DIR/journal.sqlite for reports.
///
/// One table: event(id INTEGER PRIMARY KEY, t_s REAL, event TEXT, data TEXT),
/// `data` being a JSON object.  Nothing is decided from it: Slurm's own state
/// is the truth after a restart.
#pragma once

#include <memory>
#include <string>

#include "core/cluster.hh"
#include "core/result.hh"

struct sqlite3;
struct sqlite3_stmt;

namespace gleaner {

class Journal {
 public:
  /// Open, making it if need be.  Fails with io, naming the path.
  static Result<std::unique_ptr<Journal>> open(std::string const& path);
  ~Journal();

  /// Append an event.  Fails with io; later calls may succeed.
  Result<void> add(TimeS time_s, std::string const& event,
                   std::string const& data);

 private:
  Journal() = default;
  Error error(char const* doing) const;

  std::string path_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// What happened, kept in STATE_DIR/journal.sqlite for reports.
///
/// One table: event(id INTEGER PRIMARY KEY, t_s REAL, event TEXT, data TEXT),
/// `data` being a JSON object.  Nothing is decided from it: Slurm's own state
/// is the truth after a restart.
///
/// It has bounds: what is older than `days_max`, and the oldest rows while it
/// is larger than `mb_max`, are deleted a few at a time as others are added.
/// The file does not shrink; the room is used again.
#pragma once

#include <memory>
#include <string>

#include "core/cluster.hh"
#include "core/result.hh"

struct sqlite3;
struct sqlite3_stmt;

namespace gleaner::daemon {

class Journal {
 public:
  struct Bounds {
    double days_max = 365;
    int mb_max = 1024;
  };

  /// Open, making it if need be.  Fails with io, naming the path.
  static Result<std::unique_ptr<Journal>> open(std::string const& path,
                                               Bounds bounds);
  ~Journal();

  void set_bounds(Bounds bounds) { bounds_ = bounds; }

  /// Append an event.  Fails with io; later calls may succeed.
  Result<void> add(TimeS time_s, std::string const& event,
                   std::string const& data);

 private:
  Journal() = default;
  Error error(char const* doing) const;
  Result<void> prune(TimeS now_s);
  double used_mb() const;
  double number(char const* query) const;

  std::string path_;
  Bounds bounds_;
  int added_ = 0;  ///< since the last pruning
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace gleaner::daemon

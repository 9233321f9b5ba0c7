// SPDX-License-Identifier: Apache-2.0
/// What was learned of trainings, kept in STATE_DIR/profiles.sqlite.
///
/// One table: profile(uid, family, lease_template, job, learned TEXT,
/// used_s REAL), `learned` as profile/learned_json.hh has it.  Losing it costs
/// no more than learning again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.hh"
#include "daemon/decisions/profile_shelf.hh"

struct sqlite3;
struct sqlite3_stmt;

namespace gleaner::daemon {

class ProfileStore {
 public:
  /// Open, making it if need be.  Fails with io, naming the path.
  static Result<std::unique_ptr<ProfileStore>> open(std::string const& path);
  ~ProfileStore();

  struct Loaded {
    std::vector<ProfileRow> rows;
    int unreadable = 0;  ///< rows that were left out
  };
  /// The rows used last, as many as a shelf holds; the others are deleted.
  Result<Loaded> load();

  /// All or none; rows without sizes are removed.  Fails with io; a later call
  /// may succeed.
  Result<void> save(std::vector<ProfileRow> const& rows);

 private:
  ProfileStore() = default;
  Error error(char const* doing) const;
  Result<void> run(char const* query);
  Result<void> save(ProfileRow const& row);

  std::string path_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* replace_ = nullptr;
  sqlite3_stmt* remove_ = nullptr;
};

}  // namespace gleaner::daemon

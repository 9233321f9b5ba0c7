// SPDX-License-Identifier: Apache-2.0
/// The store on SQLite.
#include "daemon/io/profile_store.hh"

#include <sqlite3.h>

#include "profile/learned_json.hh"

namespace gleaner::daemon {
namespace {

constexpr char const* schema =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "CREATE TABLE IF NOT EXISTS profile("
    "  uid INTEGER, family TEXT, lease_template TEXT, job INTEGER,"
    "  learned TEXT, used_s REAL,"
    "  PRIMARY KEY(uid, family, lease_template, job));"
    "CREATE INDEX IF NOT EXISTS profile_used ON profile(used_s);";

std::string text_of(sqlite3_stmt* row, int column) {
  auto const* text = sqlite3_column_text(row, column);
  return text ? reinterpret_cast<char const*>(text) : "";
}

}  // namespace

Result<std::unique_ptr<ProfileStore>> ProfileStore::open(
    std::string const& path) {
  std::unique_ptr<ProfileStore> store(new ProfileStore);
  store->path_ = path;
  if (sqlite3_open(path.c_str(), &store->database_) != SQLITE_OK)
    return store->error("open");
  sqlite3_busy_timeout(store->database_, 100);
  if (sqlite3_exec(store->database_, schema, nullptr, nullptr, nullptr) !=
          SQLITE_OK ||
      sqlite3_prepare_v2(store->database_,
                         "INSERT OR REPLACE INTO profile VALUES(?,?,?,?,?,?)",
                         -1, &store->replace_, nullptr) != SQLITE_OK ||
      sqlite3_prepare_v2(store->database_,
                         "DELETE FROM profile WHERE uid=? AND family=? "
                         "AND lease_template=? AND job=?",
                         -1, &store->remove_, nullptr) != SQLITE_OK)
    return store->error("prepare");
  return store;
}

ProfileStore::~ProfileStore() {
  sqlite3_finalize(replace_);
  sqlite3_finalize(remove_);
  sqlite3_close(database_);
}

Result<void> ProfileStore::run(char const* query) {
  if (sqlite3_exec(database_, query, nullptr, nullptr, nullptr) != SQLITE_OK)
    return error("write");
  return {};
}

Result<ProfileStore::Loaded> ProfileStore::load() {
  auto const limit = std::to_string(ProfileShelf::rows_max);
  if (auto done = run(("DELETE FROM profile WHERE rowid NOT IN (SELECT rowid "
                       "FROM profile ORDER BY used_s DESC LIMIT " +
                       limit + ")")
                          .c_str());
      !done)
    return done.error();
  sqlite3_stmt* query = nullptr;
  if (sqlite3_prepare_v2(database_,
                         "SELECT uid, family, lease_template, job, "
                         "learned, used_s FROM profile",
                         -1, &query, nullptr) != SQLITE_OK)
    return error("read");
  Loaded loaded;
  int state = SQLITE_OK;
  while ((state = sqlite3_step(query)) == SQLITE_ROW) {
    auto learned = profile::learned_from_json(text_of(query, 4));
    if (!learned) {
      ++loaded.unreadable;
      continue;
    }
    loaded.rows.push_back({{static_cast<Uid>(sqlite3_column_int64(query, 0)),
                            text_of(query, 1), text_of(query, 2),
                            static_cast<JobId>(sqlite3_column_int64(query, 3))},
                           std::move(*learned),
                           sqlite3_column_double(query, 5)});
  }
  sqlite3_finalize(query);
  if (state != SQLITE_DONE) return error("read");
  return loaded;
}

Result<void> ProfileStore::save(ProfileRow const& row) {
  auto* const statement = row.learned.sizes.empty() ? remove_ : replace_;
  auto const learned = profile::to_json(row.learned);
  sqlite3_bind_int64(statement, 1, row.key.uid);
  sqlite3_bind_text(statement, 2, row.key.family.c_str(), -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 3, row.key.lease_template.c_str(), -1,
                    SQLITE_STATIC);
  sqlite3_bind_int64(statement, 4, row.key.job);
  if (statement == replace_) {
    sqlite3_bind_text(statement, 5, learned.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_double(statement, 6, row.used_s);
  }
  auto const done = sqlite3_step(statement);
  Result<void> result;
  if (done != SQLITE_DONE) result = error("write");
  sqlite3_reset(statement);
  return result;
}

Result<void> ProfileStore::save(std::vector<ProfileRow> const& rows) {
  if (auto begun = run("BEGIN"); !begun) return begun;
  Result<void> result;
  for (auto const& row : rows)
    if (result) result = save(row);
  if (result) result = run("COMMIT");
  if (!result) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  return result;
}

Error ProfileStore::error(char const* doing) const {
  return {Errc::io, std::string("cannot ") + doing + " " + path_ + " (" +
                        sqlite3_errmsg(database_) +
                        ") [free space, or move the file away: what was "
                        "learned of trainings is learned again]"};
}

}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// The journal on SQLite: write-ahead, readers never wait for us.
#include "daemon/io/journal.hh"

#include <sqlite3.h>

#include <limits>

namespace gleaner::daemon {
namespace {

constexpr int prune_every = 256;  ///< rows
constexpr int prune_chunks = 4;
constexpr double day_s = 86400;

// A power failure may lose the last events, never the file.
constexpr char const* schema =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "CREATE TABLE IF NOT EXISTS event("
    "  id INTEGER PRIMARY KEY, t_s REAL, event TEXT, data TEXT);"
    "CREATE INDEX IF NOT EXISTS event_time ON event(t_s);";

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(std::string const& path,
                                               Bounds bounds) {
  std::unique_ptr<Journal> journal(new Journal);
  journal->bounds_ = bounds;
  journal->path_ = path;
  if (sqlite3_open(path.c_str(), &journal->database_) != SQLITE_OK)
    return journal->error("open");
  sqlite3_busy_timeout(journal->database_, 100);
  if (sqlite3_exec(journal->database_, schema, nullptr, nullptr, nullptr) !=
          SQLITE_OK ||
      sqlite3_prepare_v2(journal->database_,
                         "INSERT INTO event(t_s, event, data) VALUES(?,?,?)",
                         -1, &journal->insert_, nullptr) != SQLITE_OK)
    return journal->error("prepare");
  return journal;
}

Journal::~Journal() {
  sqlite3_finalize(insert_);
  sqlite3_close(database_);
}

Result<void> Journal::add(TimeS time_s, std::string const& event,
                          std::string const& data) {
  sqlite3_bind_double(insert_, 1, time_s);
  sqlite3_bind_text(insert_, 2, event.c_str(), -1, SQLITE_STATIC);
  sqlite3_bind_text(insert_, 3, data.c_str(), -1, SQLITE_STATIC);
  auto const done = sqlite3_step(insert_);
  Result<void> result;
  if (done != SQLITE_DONE) result = error("write");
  sqlite3_reset(insert_);
  if (result && ++added_ >= prune_every) {
    added_ = 0;
    return prune(time_s);
  }
  return result;
}

/// Delete a few rows if there are too many: up to four times what was added,
/// so that the bounds hold in the end, and few enough that nobody waits.
Result<void> Journal::prune(TimeS now_s) {
  for (int chunk = 0; chunk < prune_chunks; ++chunk) {
    auto const oldest_s = used_mb() > bounds_.mb_max
                              ? std::numeric_limits<double>::max()
                              : now_s - bounds_.days_max * day_s;
    std::unique_ptr<char, decltype(&sqlite3_free)> const query(
        sqlite3_mprintf("DELETE FROM event WHERE id IN (SELECT id FROM event "
                        "WHERE t_s < %.17g ORDER BY id LIMIT %d)",
                        oldest_s, prune_every),
        &sqlite3_free);
    if (sqlite3_exec(database_, query.get(), nullptr, nullptr, nullptr) !=
        SQLITE_OK)
      return error("prune");
    if (sqlite3_changes(database_) == 0) break;
  }
  return {};
}

/// What rows take; pages that are free again do not count.
double Journal::used_mb() const {
  return number(
             "SELECT (SELECT page_count FROM pragma_page_count) - "
             "(SELECT freelist_count FROM pragma_freelist_count)") *
         number("PRAGMA page_size") / (1 << 20);
}

/// The one number a query gives; 0 when it fails.
double Journal::number(char const* query) const {
  sqlite3_stmt* statement = nullptr;
  double value = 0;
  if (sqlite3_prepare_v2(database_, query, -1, &statement, nullptr) ==
          SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    value = sqlite3_column_double(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

Error Journal::error(char const* doing) const {
  return {Errc::io,
          std::string("cannot ") + doing + " the journal " + path_ + " (" +
              (database_ ? sqlite3_errmsg(database_) : "no memory") + ")"};
}

}  // namespace gleaner::daemon

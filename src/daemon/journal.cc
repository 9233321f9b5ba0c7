// SPDX-License-Identifier: Apache-2.0
/// The journal on SQLite: write-ahead, readers never wait for us.
#include "daemon/journal.hh"

#include <sqlite3.h>

namespace gleaner {
namespace {

// A power failure may lose the last events, never the file.
constexpr char const* schema =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "CREATE TABLE IF NOT EXISTS event("
    "  id INTEGER PRIMARY KEY, t_s REAL, event TEXT, data TEXT);"
    "CREATE INDEX IF NOT EXISTS event_time ON event(t_s);";

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(std::string const& path) {
  std::unique_ptr<Journal> journal(new Journal);
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
  return result;
}

Error Journal::error(char const* doing) const {
  return {Errc::io,
          std::string("cannot ") + doing + " the journal " + path_ + " (" +
              (database_ ? sqlite3_errmsg(database_) : "no memory") + ")"};
}

}  // namespace gleaner

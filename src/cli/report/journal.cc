// SPDX-License-Identifier: Apache-2.0
#include "cli/report/journal.hh"

#include <sqlite3.h>

#include <memory>

namespace gleaner::cli {
namespace {

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
  void operator()(sqlite3_stmt* query) const { sqlite3_finalize(query); }
};

std::string text_column(sqlite3_stmt* query, int column) {
  auto const* text = sqlite3_column_text(query, column);
  return text ? reinterpret_cast<char const*>(text) : "";
}

}  // namespace

Result<void> for_each_event(
    std::string const& path,
    std::function<void(double, std::string const&,
                       nlohmann::json const&)> const& visit) {
  auto failed = [&](std::string const& why) {
    return Error{Errc::io, "cannot read journal '" + path + "' (" + why + ")"};
  };
  sqlite3* raw_db = nullptr;
  int rc =
      sqlite3_open_v2(path.c_str(), &raw_db, SQLITE_OPEN_READONLY, nullptr);
  std::unique_ptr<sqlite3, Close> const db(raw_db);
  if (rc != SQLITE_OK) return failed(sqlite3_errstr(rc));
  sqlite3_busy_timeout(db.get(), 2000);

  sqlite3_stmt* raw_query = nullptr;
  rc = sqlite3_prepare_v2(db.get(),
                          "SELECT t_s, event, data FROM event ORDER BY id", -1,
                          &raw_query, nullptr);
  std::unique_ptr<sqlite3_stmt, Close> const query(raw_query);
  if (rc != SQLITE_OK) return failed(sqlite3_errmsg(db.get()));

  while ((rc = sqlite3_step(query.get())) == SQLITE_ROW) {
    try {
      visit(sqlite3_column_double(query.get(), 0), text_column(query.get(), 1),
            nlohmann::json::parse(text_column(query.get(), 2)));
    } catch (nlohmann::json::exception const& error) {
      return failed(error.what());
    }
  }
  if (rc != SQLITE_DONE) return failed(sqlite3_errmsg(db.get()));
  return {};
}

Result<std::vector<Lease>> read_journal(std::string const& path, double now_s) {
  LeaseLedger ledger;
  auto const done = for_each_event(
      path,
      [&](double t_s, std::string const& event, nlohmann::json const& data) {
        ledger.event(t_s, event, data);
      });
  if (!done) return done.error();
  return ledger.leases(now_s);
}

}  // namespace gleaner::cli

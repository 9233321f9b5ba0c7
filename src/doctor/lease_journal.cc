// SPDX-License-Identifier: Apache-2.0
/// The ends of leases, from gleanerd's journal.
#include <sqlite3.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "doctor/lease_ends.hh"

namespace gleaner::doctor {
namespace {

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
  void operator()(sqlite3_stmt* query) const { sqlite3_finalize(query); }
};

/// gleanerd tells it of leases that ended by themselves.
std::optional<double> completing_s(std::string const& data) {
  auto const lease = nlohmann::json::parse(data, nullptr, false);
  if (!lease.is_object()) return {};
  auto const told = lease.find("completing_s");
  if (told == lease.end() || !told->is_number()) return {};
  return told->get<double>();
}

}  // namespace

Result<LeaseEnds> read_lease_ends(std::string const& journal, int leases_max) {
  auto const failed = [&](std::string const& why) {
    return Error{Errc::io,
                 "cannot read journal '" + journal + "' (" + why + ")"};
  };
  sqlite3* raw_db = nullptr;
  int rc =
      sqlite3_open_v2(journal.c_str(), &raw_db, SQLITE_OPEN_READONLY, nullptr);
  std::unique_ptr<sqlite3, Close> const db(raw_db);
  if (rc != SQLITE_OK) return failed(sqlite3_errstr(rc));
  sqlite3_busy_timeout(db.get(), 2000);
  // A journal may have millions of rows: only the last ones are looked at.
  sqlite3_stmt* raw_query = nullptr;
  rc = sqlite3_prepare_v2(
      db.get(),
      "SELECT data FROM event WHERE event = 'lease_ended' AND "
      "id > (SELECT max(id) FROM event) - 100000 ORDER BY id DESC",
      -1, &raw_query, nullptr);
  std::unique_ptr<sqlite3_stmt, Close> const query(raw_query);
  if (rc != SQLITE_OK) return failed(sqlite3_errmsg(db.get()));
  LeaseEnds ends;
  auto const enough = static_cast<std::size_t>(leases_max);
  while (ends.completing_s.size() < enough &&
         (rc = sqlite3_step(query.get())) == SQLITE_ROW) {
    auto const* data = sqlite3_column_text(query.get(), 0);
    if (!data) continue;
    if (auto const took_s = completing_s(reinterpret_cast<char const*>(data)))
      ends.completing_s.push_back(*took_s);
  }
  if (rc != SQLITE_DONE && rc != SQLITE_ROW)
    return failed(sqlite3_errmsg(db.get()));
  return ends;
}

}  // namespace gleaner::doctor

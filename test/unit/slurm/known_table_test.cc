// SPDX-License-Identifier: Apache-2.0
/// What can be known of a table from the second of its last change.
#include "slurm/known_table.hh"

#include "test/unit/catch.hh"

namespace gleaner::slurm {

TEST_CASE("can a table have changed since it was loaded?") {
  struct Row {
    char const* what;
    time_t loaded, changed_then, changed_now;
    double now_s;
    Change since;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"never loaded", 0, 0, 90, 100.5, Change::sure},
           {"never loaded, as old as the clock", 0, 0, 0, 0, Change::sure},
           {"as it was", 100, 90, 90, 105, Change::none},
           {"changed later", 100, 90, 101, 101.2, Change::sure},
           {"changed in the second of the load, after it", 100, 90, 100, 100.5,
            Change::sure},
           {"changed before the load, and perhaps after", 100, 100, 100, 100.5,
            Change::maybe},
           {"the same, and that second is over", 100, 100, 100, 101,
            Change::sure},
           {"the clock was set back", 100, 90, 80, 80.5, Change::sure},
       }) {
    KnownTable table;
    table.loaded(row.loaded, row.changed_then);
    CAPTURE(row.what);
    CHECK(table.since(row.changed_now, row.now_s) == row.since);
  }
}

TEST_CASE("what is forgotten is loaded as a whole") {
  KnownTable table;
  CHECK(table.as_of() == 0);
  table.loaded(100, 90);
  CHECK(table.as_of() == 100);
  table.forget();
  CHECK(table.as_of() == 0);
  CHECK(table.since(90, 100) == Change::sure);
}

}  // namespace gleaner::slurm

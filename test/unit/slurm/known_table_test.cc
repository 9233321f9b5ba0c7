// SPDX-License-Identifier: Apache-2.0
/// What can be known of a table from the second of its last change.
#include "slurm/known_table.hh"

#include "test/unit/catch.hh"

using gleaner::Change;
using gleaner::KnownTable;

TEST_CASE("can a table have changed since it was loaded?") {
  struct Row {
    char const* what;
    time_t loaded, changed_then, changed_now;
    Change since;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"never loaded", 0, 0, 90, Change::sure},
           {"never loaded, as old as the clock", 0, 0, 0, Change::sure},
           {"as it was", 100, 90, 90, Change::none},
           {"changed later", 100, 90, 101, Change::sure},
           {"changed in the second of the load, after it", 100, 90, 100,
            Change::sure},
           {"changed before the load, and perhaps after", 100, 100, 100,
            Change::maybe},
           {"the clock was set back", 100, 90, 80, Change::sure},
           {"... and loaded in what was the future", 100, 200, 200,
            Change::maybe},
       }) {
    KnownTable table;
    table.loaded(row.loaded, row.changed_then);
    CAPTURE(row.what);
    CHECK(table.since(row.changed_now) == row.since);
  }
}

TEST_CASE("what is forgotten is loaded as a whole") {
  KnownTable table;
  CHECK(table.as_of() == 0);
  table.loaded(100, 90);
  CHECK(table.as_of() == 100);
  table.forget();
  CHECK(table.as_of() == 0);
  CHECK(table.since(90) == Change::sure);
}

// SPDX-License-Identifier: Apache-2.0
/// What the report says of a time in which nothing was lent.
#include "cli/report/observed.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {

namespace {

nlohmann::json seen(int lendable, int would_lend) {
  return {{"lendable", lendable}, {"would_lend", would_lend}};
}

}  // namespace

TEST_CASE("what was observed holds until the next event says otherwise") {
  ObservedLedger ledger(0, 0);
  ledger.event(1000, "started", {});
  ledger.event(1010, "observed", seen(4, 2));
  ledger.event(1020, "hole_opened", {{"node", "n5"}});
  ledger.event(1030, "observed", seen(6, 6));
  ledger.event(1040, "hole_closed", {{"node", "n5"}});
  CHECK(ledger.observed_s() == 30);
  CHECK(ledger.lendable_node_s() == 20 * 4 + 10 * 6);
  CHECK(ledger.would_lend_node_s() == 20 * 2 + 10 * 6);
  CHECK(
      ledger.text() ==
      "mode observe      0 min: 0.0 node-hours could have been lent, on "
      "average 4.7 nodes; 0.0 would have been, to the trainings there were\n");
}

TEST_CASE("observing ends with gleanerd, and with an order") {
  for (auto const* end : {"stopped", "started", "order", "reconfigured"}) {
    ObservedLedger ledger(0, 0);
    ledger.event(1000, "observed", seen(4, 0));
    ledger.event(1010, end, nlohmann::json::object());
    ledger.event(2000, "lease_held", nlohmann::json::object());
    CHECK(ledger.observed_s() == 10);
  }
}

TEST_CASE("only the time to report on counts") {
  ObservedLedger ledger(1005, 1015);
  ledger.event(1000, "observed", seen(4, 0));
  ledger.event(1010, "observed", seen(8, 0));
  ledger.event(1100, "observed", seen(9, 0));
  ledger.event(1200, "stopped", nlohmann::json::object());
  CHECK(ledger.observed_s() == 10);
  CHECK(ledger.lendable_node_s() == 5 * 4 + 5 * 8);
}

TEST_CASE("where all was lent nothing is said of observing") {
  ObservedLedger ledger(0, 0);
  ledger.event(1000, "started", {});
  ledger.event(1010, "lease_held", {});
  CHECK(ledger.text() == "");
}

}  // namespace gleaner::cli

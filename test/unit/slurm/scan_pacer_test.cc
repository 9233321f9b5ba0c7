// SPDX-License-Identifier: Apache-2.0
/// How often the cluster is looked at.
#include "slurm/scan_pacer.hh"

#include <vector>

#include "test/unit/catch.hh"

namespace gleaner::slurm {

namespace {

ScanPacer pacer_after_a_look() {
  ScanPacer pacer({1, 0.02, 0.03});
  pacer.looked(100, 100.001, 0.001);
  return pacer;
}

/// When looks happen from `from_s` to `until_s`, if each takes `took_s` of the
/// processor and so much has always changed.
std::vector<double> looks(ScanPacer* pacer, double from_s, double until_s,
                          double took_s, Change change = Change::sure) {
  std::vector<double> at;
  for (double now_s = from_s;;) {
    now_s += pacer->wait_s(now_s);
    if (now_s > until_s) return at;
    if (!pacer->may_look(now_s, change)) continue;
    at.push_back(now_s);
    pacer->looked(now_s, now_s + took_s, took_s);
    now_s += took_s;
  }
}

}  // namespace

TEST_CASE("the first look is at once") {
  ScanPacer pacer({1, 0.02, 0.03});
  CHECK(pacer.wait_s(100) == 0);
  CHECK(pacer.may_look(100, Change::maybe));
}

TEST_CASE("a cluster that changes is looked at once an interval") {
  auto pacer = pacer_after_a_look();
  auto const at = looks(&pacer, 101, 104, 0.001);
  REQUIRE(at.size() == 3);
  CHECK(at[0] == Approx(101.001));
  CHECK(at[1] == Approx(102.002));
}

TEST_CASE("a cluster that does not change is not looked at, woken or not") {
  auto pacer = pacer_after_a_look();
  CHECK(looks(&pacer, 101, 104, 0.001, Change::none).empty());
  pacer.wake(104.2);
  CHECK(looks(&pacer, 104.2, 106, 0.001, Change::none).empty());
}

TEST_CASE("after being woken it looks at once and soon again") {
  auto pacer = pacer_after_a_look();
  pacer.wake(100.5);
  auto const at = looks(&pacer, 100.5, 101.2, 0.001);
  REQUIRE(at.size() == 5);
  CHECK(at[0] == Approx(100.5));
  CHECK(at[1] == Approx(100.521).margin(0.001));
  CHECK(at[2] == Approx(100.56).margin(0.001));
  CHECK(at[3] == Approx(100.7).margin(0.001));
  CHECK(at[4] == Approx(101.0).margin(0.001));
}

TEST_CASE("a change that the hook was too early for is seen soon after") {
  auto pacer = pacer_after_a_look();
  pacer.wake(100.5);
  REQUIRE(pacer.wait_s(100.5) == 0);
  CHECK_FALSE(pacer.may_look(100.5, Change::none));
  CHECK(pacer.wait_s(100.5) == Approx(0.02).margin(0.001));
  CHECK(pacer.may_look(100.52, Change::sure));
}

TEST_CASE("looks keep the least gap, however often it is woken") {
  auto pacer = pacer_after_a_look();
  pacer.wake(100.002);
  CHECK(pacer.wait_s(100.002) == Approx(0.019));
}

TEST_CASE("looking takes no more than its share of the time") {
  struct Row {
    double share, took_s;
  };
  for (auto const& row : {Row{0.03, 0.1}, Row{0.03, 0.003}, Row{0.2, 0.1},
                          Row{0.001, 0.02}, Row{1, 0.1}}) {
    ScanPacer pacer({1, 0.02, row.share});
    double const length_s = 1000;
    double spent_s = 0, now_s = 100;
    while (now_s < 100 + length_s) {
      pacer.wake(now_s);  // all the time
      now_s += pacer.wait_s(now_s);
      if (!pacer.may_look(now_s, Change::sure)) continue;
      pacer.looked(now_s, now_s + row.took_s, row.took_s);
      now_s += row.took_s;
      spent_s += row.took_s;
    }
    CAPTURE(row.share, row.took_s, spent_s);
    // What is saved up may be spent besides, and one look overdraws.
    CHECK(spent_s <= row.share * length_s + 0.5 + row.took_s + 1e-2);
    // It uses its share, but never takes more than a fifth at a stretch.
    double const most = std::min({row.share, 0.2, row.took_s / 0.02});
    CHECK(spent_s >= 0.85 * most * length_s);
  }
}

TEST_CASE("what is charged for a look") {
  struct Row {
    char const* what;
    double wall_s, cpu_s, cost_s;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"no time", 0, 0, 0},
           {"an idle slurmctld: all of it", 0.1, 0.06, 0.1},
           {"slurmctld's locks were busy", 2.0, 0.05, 0.1},
           {"another program had the processor", 0.5, 0.1, 0.2},
       }) {
    CAPTURE(row.what);
    CHECK(LookBudget::cost_s(row.wall_s, row.cpu_s) == Approx(row.cost_s));
  }
}

TEST_CASE("when a look is allowed") {
  struct Row {
    char const* what;
    double spent_s;  ///< just now, of the 0.5 saved up
    Change change;
    double wait_s;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"all is left", 0, Change::sure, 0},
           {"a possible change while half is left", 0.2, Change::maybe, 0},
           {"less is left", 0.4, Change::maybe, 1.5},
           {"a certain change while anything is left", 0.4, Change::sure, 0},
           {"the account is overdrawn", 0.6, Change::sure, 1},
           {"nothing is possible either", 0.6, Change::maybe, 3.5},
       }) {
    LookBudget budget(0.1);
    budget.spend(100, row.spent_s);
    CAPTURE(row.what);
    CHECK(budget.wait_s(100, row.change) == Approx(row.wait_s));
    CHECK(budget.wait_s(100 + row.wait_s, row.change) ==
          Approx(0).margin(1e-9));
  }
}

TEST_CASE("time that goes back gives nothing") {
  LookBudget budget(0.1);
  budget.spend(100, 0.6);
  CHECK(budget.wait_s(50, Change::sure) == Approx(1));
  budget.spend(50, 0.1);
  CHECK(budget.wait_s(100, Change::sure) == Approx(2));
}

TEST_CASE("where nobody trains a look comes every 30 s, whatever jobs do") {
  auto pacer = pacer_after_a_look();
  pacer.set_in_use(false);
  for (double now_s = 100.1; now_s < 120; now_s += 0.1)
    pacer.wake(now_s, ScanPacer::Cause::rigid_job);
  auto const at = looks(&pacer, 120, 170, 0.1);
  REQUIRE(at.size() == 2);
  CHECK(at[0] == Approx(130.001));
  CHECK(at[1] == Approx(160.101));
}

TEST_CASE("the first training is looked for at once, and from then on all is") {
  auto pacer = pacer_after_a_look();
  pacer.set_in_use(false);
  pacer.wake(110, ScanPacer::Cause::training);
  CHECK(pacer.wait_s(110) == 0);
  CHECK(looks(&pacer, 110, 112, 0.001).size() == 5);
  pacer.set_in_use(true);
  pacer.wake(115, ScanPacer::Cause::rigid_job);
  CHECK(pacer.wait_s(115) == 0);
}

TEST_CASE("where nobody trains a longer interval still counts") {
  ScanPacer pacer({60, 0.02, 0.03});
  pacer.looked(100, 100, 0);
  pacer.set_in_use(false);
  CHECK(pacer.wait_s(100) == Approx(60));
}

}  // namespace gleaner::slurm

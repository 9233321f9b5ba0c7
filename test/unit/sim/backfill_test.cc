// SPDX-License-Identifier: Apache-2.0
/// When rigid jobs start, which holes that leaves, and what is known of them.
#include "sim/backfill.hh"

#include <random>

#include "sim/rigid_figures.hh"
#include "test/unit/sim/cases.hh"

namespace gleaner::sim {
namespace {

/// A job of the log: how many nodes, from when, for how long, with what limit.
LoggedJob job(int nodes, double submit_s, double run_s, double limit_s) {
  LoggedJob j;
  j.submit_s = j.start_s = submit_s;
  j.run_s = run_s;
  j.limit_s = limit_s;
  j.nodes = nodes;
  return j;
}

Backfill machine(int nodes, std::vector<LoggedJob> jobs, double reclaim_s = 0) {
  JobLog log;
  log.jobs = std::move(jobs);
  auto made = Backfill::make(log, {nodes, reclaim_s});
  REQUIRE(made);
  return *made;
}

std::vector<double> starts(Backfill backfill, double until_s = 1e9) {
  play_alone(backfill, until_s);
  std::vector<double> result;
  for (auto const& start_s : backfill.starts_s())
    result.push_back(start_s.value_or(-1));
  return result;
}

TEST_CASE("jobs start in the order in which they came") {
  CHECK(starts(machine(
            4, {job(4, 0, 10, 20), job(4, 1, 10, 20), job(4, 2, 10, 20)})) ==
        std::vector<double>{0, 10, 20});
}

TEST_CASE("a job ends when it does, not at its limit") {
  CHECK(starts(machine(4, {job(4, 0, 5, 1000), job(4, 0, 5, 10)})) ==
        std::vector<double>{0, 5});
}

TEST_CASE("a later job starts at once if its limit ends before the head's") {
  // 3 of 4 nodes until 100; the second job waits for all 4 of them.
  CHECK(starts(machine(4, {job(3, 0, 100, 100), job(4, 1, 10, 10),
                           job(1, 2, 98, 98), job(1, 2, 10, 99)})) ==
        std::vector<double>{0, 100, 2, 110});
}

TEST_CASE("a later job that would hold up the head waits") {
  // It fits on the node that is idle, and would run past the head's start.
  CHECK(starts(machine(4, {job(3, 0, 100, 100), job(4, 1, 10, 10),
                           job(1, 2, 150, 150)})) ==
        std::vector<double>{0, 100, 110});
}

TEST_CASE("a later job may run past the reservation on nodes it leaves") {
  // The head wants 2 nodes at 100, when 4 will be idle: 2 are spare.
  CHECK(starts(machine(5, {job(4, 0, 100, 100), job(2, 1, 10, 10),
                           job(1, 2, 500, 500)})) ==
        std::vector<double>{0, 100, 2});
}

TEST_CASE("what runs when the window begins goes on, what waits is queued") {
  auto runs = job(3, -50, 80, 100), waits = job(2, -20, 10, 10);
  runs.start_s = -40;
  waits.start_s = 60;
  CHECK(starts(machine(4, {runs, waits})) == std::vector<double>{-40, 40});
}

TEST_CASE("a job that ended before the window takes no node") {
  auto over = job(4, -50, 10, 10);
  CHECK(starts(machine(4, {over, job(4, 0, 5, 5)})) ==
        std::vector<double>{-50, 0});
}

TEST_CASE("a job larger than the machine is refused") {
  JobLog log;
  log.jobs = {job(5, 0, 10, 10)};
  log.jobs[0].number = 17;
  auto const made = Backfill::make(log, {4, 0});
  REQUIRE_FALSE(made);
  CHECK(made.error().message ==
        "job 17 wants 5 nodes of 4 (it could never start) [simulate a larger "
        "machine]");
}

TEST_CASE("holes are the nodes without a job") {
  auto backfill = machine(3, {job(2, 0, 10, 10)});
  CHECK(backfill.advance({}).joiners == std::vector<NodeNumber>{2});
  CHECK(backfill.next_s() == 10);
  CHECK(backfill.advance({}).joiners == std::vector<NodeNumber>{0, 1});
  CHECK_FALSE(backfill.next_s());
}

TEST_CASE("a hole's end is known by the reservation, made from limits only") {
  // The first job runs 10 s, but all that is known is its limit of 100 s.
  auto backfill = machine(4, {job(2, 0, 10, 100), job(3, 0, 10, 10)});
  backfill.advance({});
  CHECK(backfill.end_s(2) == 100);  // one of the idle nodes is needed then
  CHECK_FALSE(backfill.end_s(3));   // nothing is planned on the other
}

TEST_CASE("a job takes nodes nobody holds first") {
  auto backfill = machine(2, {job(1, 5, 10, 10)});
  backfill.advance({false, false});
  CHECK(backfill.advance({true, false}).leavers == std::vector<NodeNumber>{1});
  CHECK(backfill.reclaims() == 0);
}

TEST_CASE("a job on a lent node starts when the lease has ended") {
  auto backfill = machine(1, {job(1, 5, 10, 10)}, 3);
  backfill.advance({false});
  backfill.advance({true});
  CHECK(backfill.starts_s()[0] == 8);
  CHECK(backfill.next_s() == 18);
  CHECK(backfill.reclaims() == 1);
}

TEST_CASE("a lease on a reserved node ends so early that the job is in time") {
  // The head is reserved both nodes at 100; leases take 30 s to end.
  auto backfill = machine(2, {job(1, 0, 100, 100), job(2, 0, 10, 10)}, 30);
  backfill.advance({false, false});
  CHECK(backfill.next_s() == 70);
  CHECK(backfill.advance({false, true}).leavers == std::vector<NodeNumber>{1});
  CHECK(backfill.next_s() == 100);
  backfill.advance({false, false});
  CHECK(backfill.starts_s()[1] == 100);
}

/// Hundreds of jobs on 32 nodes.
JobLog random_log(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto const draw = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  JobLog log;
  double submit_s = 0;
  for (int i = 0; i < 300; ++i) {
    submit_s += draw(0, 60);
    double const limit_s = draw(1, 900);
    log.jobs.push_back(job(draw(1, 4) == 1 ? draw(8, 32) : draw(1, 8), submit_s,
                           limit_s * draw(1, 100) / 100.0, limit_s));
  }
  return log;
}

TEST_CASE("with instant reclaim every rigid job starts as without trainers") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    auto const log = random_log(seed);
    auto with = *Backfill::make(log, {32, 0});
    auto alone = with;
    std::vector<Training> const trainings{training("x", 20, 1e9),
                                          training("y", 20, 1e9)};
    auto const policy = alloc::make_allocator("exact");
    auto const rules = lump_rules({});
    auto const outcome = Engine(trainings, with, **policy, *rules, {2}).run();
    CHECK(outcome.preempts > 0);
    play_alone(alone, 1e9);
    CHECK(with.starts_s() == alone.starts_s());
  }
}

TEST_CASE("no more nodes are used than there are") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    auto const log = random_log(seed);
    auto const at = starts(*Backfill::make(log, {32, 0}));
    // A sweep over starts and ends: the nodes in use never exceed those there.
    std::vector<std::pair<double, int>> changes;
    for (std::size_t i = 0; i < at.size(); ++i) {
      CHECK(at[i] >= log.jobs[i].submit_s);
      changes.emplace_back(at[i], log.jobs[i].nodes);
      changes.emplace_back(at[i] + log.jobs[i].run_s, -log.jobs[i].nodes);
    }
    std::sort(changes.begin(), changes.end());
    int used = 0;
    for (auto const& [t_s, nodes] : changes) CHECK((used += nodes) <= 32);
    CHECK(used == 0);
  }
}

TEST_CASE("rigid figures compare the same job with itself") {
  JobLog log;
  log.jobs = {job(2, 0, 10, 10), job(1, 4, 10, 10), job(1, 90, 20, 20)};
  auto const figures =
      rigid_figures(log, {2.0, 5.0, 90.0}, {0.0, 5.0, 90.0}, 100);
  CHECK(figures.jobs == 3);
  CHECK(figures.moved == 1);
  CHECK(figures.delay_s == Approx(2.0 / 3));
  CHECK(figures.delay_s_max == 2);
  CHECK(figures.wait_s == 1);
  CHECK(figures.wait_alone_s == Approx(1.0 / 3));
  CHECK(figures.busy_node_s == 2 * 10 + 10 + 10);  // the last one is cut
}

}  // namespace
}  // namespace gleaner::sim

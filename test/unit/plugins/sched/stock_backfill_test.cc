// SPDX-License-Identifier: Apache-2.0
/// Finding Slurm's own scheduler, and nothing else by that name.
#include "plugins/sched/stock_backfill.hh"

#include "test/unit/catch.hh"
#include "test/unit/plugins/scratch.hh"

namespace gleaner::sched {

TEST_CASE("the configured path comes first") {
  auto const paths = stock_backfill_candidates("/site/sched_backfill.so");
  CHECK(paths.front() == "/site/sched_backfill.so");
  CHECK(paths.size() > 1);
  CHECK(stock_backfill_candidates("").front() != "");
}

TEST_CASE("what is wrong with each candidate is told") {
  plugins::Scratch scratch;
  scratch.write("text.so", "no library\n");
  StockBackfill backfill;
  auto const opened = backfill.open(
      {scratch.path("missing.so"), scratch.path("text.so"), "/proc/self/exe"},
      1);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code == Errc::not_found);
  CHECK_THAT(opened.error().message,
             Catch::Contains("missing.so: not there") &&
                 Catch::Contains("text.so: ") &&
                 Catch::Contains("/proc/self/exe: is this plugin itself") &&
                 Catch::Contains("[set stock_backfill]"));
}

}  // namespace gleaner::sched

// SPDX-License-Identifier: Apache-2.0
/// How a log of rigid jobs is understood.
#include "sim/swf.hh"

#include "test/unit/sim/cases.hh"

namespace gleaner::sim {
namespace {

//                     number submit wait run used - - wanted limit …
constexpr char tail[] = " -1 1 1 1 -1 -1 -1 -1 -1\n";

std::string line(std::string const& first_nine) { return first_nine + tail; }

TEST_CASE("times count from the window's start") {
  InputFile const file("; WindowStart: 1000 (of field 2)\n; WindowEnd: 1600\n" +
                       line("7 900 50 300 4 -1 -1 4 400") +
                       line("8 1100 20 60 2 -1 -1 2 90"));
  auto const log = read_swf(file.path());
  REQUIRE(log);
  CHECK(log->length_s == 600);
  REQUIRE(log->jobs.size() == 2);
  CHECK(log->jobs[0].submit_s == -100);  // a warm-start job
  CHECK(log->jobs[0].start_s == -50);
  CHECK(log->jobs[1].submit_s == 100);
  CHECK(log->jobs[1].run_s == 60);
  CHECK(log->jobs[1].limit_s == 90);
}

TEST_CASE("the header tells how many processors a node has") {
  InputFile const file("; MaxNodes: 10\n; MaxProcs: 80\n" +
                       line("1 0 0 60 17 -1 -1 17 90"));
  auto const log = read_swf(file.path());
  REQUIRE(log);
  CHECK(log->nodes == 10);
  CHECK(log->jobs[0].nodes == 3);
}

TEST_CASE("a job that never ran is skipped, and counted") {
  InputFile const file(line("1 0 0 0 4 -1 -1 4 90") +
                       line("2 0 0 60 0 -1 -1 0 90") +
                       line("3 0 0 60 -1 -1 -1 4 90"));
  auto const log = read_swf(file.path());
  REQUIRE(log);
  CHECK(log->skipped == 2);
  CHECK(log->jobs.size() == 1);
  CHECK(log->jobs[0].nodes == 4);  // what it asked for
}

TEST_CASE("a job without a limit is given the longest of the log") {
  InputFile const file(line("1 0 0 60 4 -1 -1 4 90") +
                       line("2 0 0 60 4 -1 -1 4 -1"));
  auto const log = read_swf(file.path());
  REQUIRE(log);
  CHECK(log->jobs[1].limit_s == 90);
}

TEST_CASE("a line with a wrong number of fields is named") {
  InputFile const file("; MaxNodes: 10\n1 0 0 60 4\n");
  auto const log = read_swf(file.path());
  REQUIRE_FALSE(log);
  CHECK(log.error().message ==
        file.path() +
            " line 2: found 5 fields (expected the 18 of the Standard "
            "Workload Format)");
}

TEST_CASE("a field that is no number is named") {
  InputFile const file(line("1 0 0 60s 4 -1 -1 4 90"));
  auto const log = read_swf(file.path());
  REQUIRE_FALSE(log);
  CHECK(log.error().message ==
        file.path() +
            " line 1: cannot read run time from '60s' (expected a number of "
            "at least -1)");
}

}  // namespace
}  // namespace gleaner::sim

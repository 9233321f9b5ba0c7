// SPDX-License-Identifier: Apache-2.0
/// How Slurm's accounting tells of the rigid jobs.
#include "cli/report/sacct.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {

TEST_CASE("sacct is asked for these nodes in this time, in seconds") {
  auto const command = sacct_command({1000.25, 2000.5, {"n1", "n2"}});
  std::string line;
  for (auto const& word : command) line += word + ' ';
  CHECK(line ==
        "sacct --allusers --allocations --noheader --parsable2 "
        "--format=JobIDRaw,Partition,Eligible,Start,End,State,ExitCode,NNodes,"
        "NodeList,JobName --starttime=uts1000 --endtime=uts2001 "
        "--nodelist=n[1-2] ");
}

TEST_CASE("a job of sacct's is one that had nodes, and is not a lease") {
  struct Row {
    char const* rule;
    char const* line;
    char const* jobs;  ///< "NAME NODES ELIGIBLE START-END CODE", joined by ';'
  };
  Row const rows[] = {
      {"one that ended", "7|main|100|105|150|COMPLETED|0:0|2|n[1-2]|a",
       "7 n[1-2] 100 105-150 0"},
      {"one that runs", "7|main|100|105|Unknown|RUNNING|0:0|1|n1|a",
       "7 n1 100 105- 0"},
      {"a name may hold the character between fields",
       "7|main|100|105|150|COMPLETED|0:0|1|n1|a|b|c", "7 n1 100 105-150 0"},
      {"one that failed", "7|main|100|105|150|FAILED|3:0|1|n1|a",
       "7 n1 100 105-150 3"},
      {"one that ran out of time has failed",
       "7|main|100|105|150|TIMEOUT|0:0|1|n1|a", "7 n1 100 105-150 1"},
      {"one that its user cancelled has not",
       "7|main|100|105|150|CANCELLED by 1000|0:15|1|n1|a",
       "7 n1 100 105-150 0"},
      {"one that waits",
       "7|main|100|Unknown|Unknown|PENDING|0:0|1|None assigned|a", ""},
      {"one that was cancelled while it waited",
       "7|main|100|None|150|CANCELLED|0:0|1|None assigned|a", ""},
      {"a lease", "7|lease|100|105|150|COMPLETED|0:0|1|n1|a", ""},
      {"in order of submission",
       "8|main|200|205|250|COMPLETED|0:0|1|n1|a\n"
       "7|main|100|105|150|COMPLETED|0:0|1|n1|a",
       "7 n1 100 105-150 0;8 n1 200 205-250 0"},
      {"no job", "", ""},
  };
  for (auto const& row : rows) {
    INFO(row.rule);
    auto const jobs = parse_sacct(row.line, "lease");
    REQUIRE(jobs);
    std::string text;
    for (auto const& job : *jobs) {
      if (!text.empty()) text += ';';
      text += job.name + " " + job.nodes.to_string() + " " +
              std::to_string(int(job.submit_s)) + " " +
              std::to_string(int(*job.start_s)) + "-" +
              (job.end_s ? std::to_string(int(*job.end_s)) : "") + " " +
              std::to_string(job.code);
    }
    CHECK(text == row.jobs);
  }
}

TEST_CASE("what sacct did not print so is refused with its line") {
  struct Row {
    char const* text;
    char const* message;
  };
  Row const rows[] = {
      {"sacct: error: no accounting", "line 1 of sacct's answer"},
      {"7|main|100|105|150|COMPLETED|0:0|1|n1|a\n8|main|1", "line 2"},
      {"7|main|2026-11-22T01:00:00|105|150|COMPLETED|0:0|1|n1|a",
       "run sacct with SLURM_TIME_FORMAT=%s"},
      {"7|main|100|105|150|COMPLETED|0:0|1|n[1-|a", "n[1-"},
  };
  for (auto const& row : rows) {
    INFO(row.text);
    auto const jobs = parse_sacct(row.text, "lease");
    REQUIRE_FALSE(jobs);
    CHECK_THAT(jobs.error().message, Catch::Contains(row.message));
  }
}

}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
/// What the doctor says of the time that epilogs take.
#include "doctor/lease_ends.hh"

#include "test/unit/catch.hh"

namespace gleaner::doctor {
namespace {

using Severity = slurm::Finding::Severity;

slurm::Finding const epilog{Severity::warn, "Epilog", "Epilog=/e (it runs)",
                            "exempt"};

/// "warn what -> remedy", of all that is said after judging.
std::string said(std::vector<slurm::Finding> findings,
                 Result<LeaseEnds> const& ends) {
  slurm::SlurmSetup setup;
  setup.findings = std::move(findings);
  judge_lease_ends(ends, default_config(), &setup);
  std::string text;
  for (auto const& f : setup.findings)
    text += std::string(text.empty() ? "" : "; ") + slurm::name_of(f.severity) +
            " " + f.what + (f.remedy.empty() ? "" : " -> " + f.remedy);
  return text;
}

TEST_CASE("the time between a lease's end and its node's is a median") {
  CHECK_FALSE(LeaseEnds{{}}.median_s());
  CHECK(LeaseEnds{{2}}.median_s() == 2);
  CHECK(LeaseEnds{{9, 0, 2}}.median_s() == 2);
}

TEST_CASE("an Epilog is judged by the time that leases take to complete") {
  struct Row {
    std::vector<double> completing_s;
    std::string says;
  };
  for (auto const& row : std::initializer_list<Row>{
           {{},
            "warn Epilog=/e (it runs); how long that takes is not known: no "
            "lease has ended by itself yet -> exempt"},
           {{0, 0.2, 0.4},
            "ok Epilog=/e (it runs): a leased node is free 0.2 s after its "
            "lease has ended, median of the last 3"},
           {{2.1, 2.2, 2.0},
            "warn Epilog=/e (it runs): a leased node is free 2.1 s after its "
            "lease has ended, median of the last 3 -> let it end at once if "
            "SLURM_JOB_PARTITION is lease, or in gleaner.yaml release_lead_s: "
            "4.1"}})
    CHECK(said({epilog}, LeaseEnds{row.completing_s}) == row.says);
}

TEST_CASE("a journal that cannot be read leaves the time unknown") {
  Error const unreadable{Errc::io, "cannot read it"};
  CHECK(said({epilog}, unreadable) ==
        "warn Epilog=/e (it runs); how long that takes is not known: cannot "
        "read it -> exempt");
  CHECK(said({}, unreadable) == "");
}

TEST_CASE("without an Epilog nodes may be free late all the same") {
  CHECK(said({}, LeaseEnds{{}}) == "");
  CHECK(said({}, LeaseEnds{{0.1}}) ==
        "ok a leased node is free 0.1 s after its lease has ended, median of "
        "the last 1");
  CHECK(said({}, LeaseEnds{{3}}).find("warn a leased node is free 3.0 s") == 0);
}

TEST_CASE("a journal that is not there is an error that names it") {
  auto const ends = read_lease_ends("/nonexistent/journal.sqlite", 10);
  REQUIRE_FALSE(ends);
  CHECK((ends.error().code == Errc::unavailable ||
         ends.error().message.find("'/nonexistent/journal.sqlite'") !=
             std::string::npos));
}

}  // namespace
}  // namespace gleaner::doctor

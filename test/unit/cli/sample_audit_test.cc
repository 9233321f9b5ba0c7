// SPDX-License-Identifier: Apache-2.0
/// Every sample once per pass: what counts as seen twice or left out.
#include "cli/report/sample_audit.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {

TEST_CASE("a whole pass has no findings") {
  SampleAudit audit;
  audit.step(1, 0, {{0, 32}});
  audit.step(2, 0, {{32, 64}});
  audit.step(3, 0, {{64, 70}});
  audit.step(4, 1, {{0, 32}});
  auto const f = audit.findings(70);
  CHECK(f.samples == 102);
  CHECK(f.passes == 1);
  CHECK(f.duplicates == 0);
  CHECK(f.missing == 0);
}

TEST_CASE("what a lost member had is taken again, in any order") {
  SampleAudit audit;
  audit.step(1, 0, {{0, 16}});  // 16-32 were handed back
  audit.step(2, 0, {{16, 32}, {32, 48}});
  auto const f = audit.findings(100);
  CHECK(f.duplicates == 0);
  CHECK(f.missing == 0);
}

TEST_CASE("of passes that are not told whole nothing is missing") {
  SampleAudit audit;
  audit.begin_within(1);
  audit.step(7, 1, {{64, 100}});
  audit.step(8, 2, {{0, 40}});
  CHECK(audit.findings(100).missing == 0);
  CHECK(audit.findings(100).samples == 76);
  audit.step(9, 3, {{8, 16}});
  CHECK(audit.findings(100).missing == 60 + 8);
}

TEST_CASE("a sample taken again in one pass is a duplicate") {
  SampleAudit audit;
  audit.step(1, 0, {{0, 32}});
  audit.step(2, 0, {{20, 40}});
  CHECK(audit.findings(100).duplicates == 12);
}

TEST_CASE("a step told twice is seen") {
  SampleAudit audit;
  audit.step(1, 0, {{0, 32}});
  audit.step(1, 0, {{0, 32}});
  CHECK(audit.findings(100).duplicates == 32);
}

TEST_CASE("the same sample in two passes is no duplicate") {
  SampleAudit audit;
  audit.step(1, 0, {{0, 10}});
  audit.step(2, 1, {{0, 10}});
  CHECK(audit.findings(10).duplicates == 0);
}

TEST_CASE("a gap is missing samples") {
  SampleAudit audit;
  audit.step(1, 0, {{0, 10}});
  audit.step(2, 0, {{15, 30}});
  CHECK(audit.findings(100).missing == 5);
}

TEST_CASE("a pass that another follows must be whole") {
  SampleAudit audit;
  audit.step(1, 0, {{0, 10}});
  audit.step(2, 2, {{0, 10}});
  // 5 of pass 0 and all of pass 1.
  CHECK(audit.findings(15).missing == 20);
}

TEST_CASE("a rollback undoes the steps after the one it names") {
  SampleAudit audit;
  audit.step(1, 0, {{0, 10}});
  audit.step(2, 0, {{10, 20}});
  audit.step(3, 0, {{20, 30}});
  audit.rollback(1);
  audit.step(2, 0, {{10, 20}});
  auto const f = audit.findings(100);
  CHECK(f.samples == 20);
  CHECK(f.undone == 20);
  CHECK(f.duplicates == 0);
  CHECK(f.missing == 0);
}

TEST_CASE("nothing was done") {
  CHECK(SampleAudit().findings(10).samples == 0);
}

}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
/// How an event reads in the log.
#include "core/log.hh"

#include "test/unit/catch.hh"

namespace gleaner {
namespace {

TEST_CASE("an event is its name and its keys, in the order given") {
  CHECK(LogLine("resize")
            .kv("trainer", 12)
            .kv("nodes", "n[1-2]")
            .kv("took_s", 1.5)
            .text() == "resize trainer=12 nodes=n[1-2] took_s=1.5");
}

TEST_CASE("a user's text cannot forge a second line") {
  CHECK(LogLine("job").kv("name", "a b\n\"c\\").text() ==
        R"(job name="a b\x0a\"c\\")");
  CHECK(LogLine("job").kv("name", "").text() == "job name=\"\"");
}

TEST_CASE("a level that nobody knows is info") {
  CHECK(log_level("debug") == LogLevel::debug);
  CHECK(log_level("loud") == LogLevel::info);
}

}  // namespace
}  // namespace gleaner

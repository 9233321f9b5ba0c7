// SPDX-License-Identifier: Apache-2.0
/// How events are kept.
#include "runtime/coordinator/event_log.hh"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

class StoppedClock final : public Clock {
 public:
  double wall_s() const override { return 100.5; }
  double monotonic_s() const override { return 0; }
};

TEST_CASE("an event is one line with its time; a log is continued") {
  char base[] = "/tmp/event_log_test.XXXXXX";
  REQUIRE(::mkdtemp(base));
  auto const dir = std::string(base) + "/a/b";
  StoppedClock const clock;
  for (int step : {1, 2}) {
    auto log = EventLog::open(dir, clock);
    REQUIRE(log);
    log->write("park", {{"step", step}});
  }
  std::ifstream file(dir + "/events.jsonl");
  std::string line;
  REQUIRE(std::getline(file, line));
  CHECK(line == R"({"event":"park","step":1,"t":100.5})");
  REQUIRE(std::getline(file, line));
  CHECK(nlohmann::json::parse(line).at("step") == 2);
  std::filesystem::remove_all(base);
}

TEST_CASE("a line that its writer was killed in spoils no other") {
  char base[] = "/tmp/event_log_test.XXXXXX";
  REQUIRE(::mkdtemp(base));
  auto const path = std::string(base) + "/events.jsonl";
  std::ofstream(path) << "{\"event\":\"st";
  {
    StoppedClock const clock;
    auto log = EventLog::open(base, clock);
    REQUIRE(log);
    log->write("park", {});
  }
  std::ifstream file(path);
  std::string line;
  REQUIRE(std::getline(file, line));
  REQUIRE(std::getline(file, line));
  CHECK(line == R"({"event":"park","t":100.5})");
  std::filesystem::remove_all(base);
}

TEST_CASE("a directory that cannot be made is named, with the remedy") {
  auto const log = EventLog::open("/proc/nowhere", StoppedClock());
  REQUIRE_FALSE(log);
  CHECK(log.error().message.find("/proc/nowhere") != std::string::npos);
  CHECK(log.error().message.find("--dir") != std::string::npos);
}

}  // namespace
}  // namespace gleaner::coordinator

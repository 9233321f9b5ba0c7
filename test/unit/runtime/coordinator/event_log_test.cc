// SPDX-License-Identifier: Apache-2.0
/// How events are kept.
#include "runtime/coordinator/event_log.hh"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/event_log_parts.hh"
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

/// A run directory of its own.
struct Directory {
  Directory() { REQUIRE(::mkdtemp(path)); }
  ~Directory() { std::filesystem::remove_all(path); }
  std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    for (auto const& file : std::filesystem::directory_iterator(path))
      sum += file.file_size();
    return sum;
  }
  std::vector<nlohmann::json> events() const {
    std::vector<nlohmann::json> found;
    auto const text = read_event_log(path);
    REQUIRE(text);
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);)
      found.push_back(nlohmann::json::parse(line));
    return found;
  }
  char path[32] = "/tmp/event_log_test.XXXXXX";
};

TEST_CASE("a log of weeks takes what it may on the disk") {
  constexpr std::uint64_t bytes_max = 64 << 10;
  Directory const dir;
  StoppedClock const clock;
  int step = 0;
  for (int run = 0; run < 2; ++run) {
    auto log = EventLog::open(dir.path, clock, bytes_max);
    REQUIRE(log);
    log->write("start", {{"job", 7}});
    for (int i = 0; i < 5000; ++i)
      log->write("step", {{"step", ++step}, {"pass", 0}});
  }
  CHECK(dir.bytes() <= bytes_max + 1000);
  CHECK(dir.bytes() > bytes_max / 2);
  // What is kept is the end, whole and in order.
  auto const events = dir.events();
  REQUIRE_FALSE(events.empty());
  CHECK(events.front().at("event") == "continued");
  CHECK(events.front().at("job") == 7);
  int next = events.front().at("step").get<int>() + 1;
  for (auto const& event : events)
    if (event.at("event") == "step") CHECK(event.at("step") == next++);
  CHECK(next == step + 1);
}

TEST_CASE("without a limit the log is one file") {
  Directory const dir;
  StoppedClock const clock;
  {
    auto log = EventLog::open(dir.path, clock);
    REQUIRE(log);
    for (int i = 0; i < 5000; ++i) log->write("step", {{"step", i}});
  }
  CHECK(event_log_parts(dir.path).empty());
  CHECK(dir.events().size() == 5000);
}

TEST_CASE("a log that is far too long already becomes the first part") {
  Directory const dir;
  std::ofstream(event_log_path(dir.path))
      << "{\"event\":\"x\",\"y\":\"" << std::string(5000, 'x') << "\"}\n";
  StoppedClock const clock;
  {
    auto log = EventLog::open(dir.path, clock, 800);
    REQUIRE(log);
    log->write("start", {{"job", 7}});
  }
  CHECK(event_log_parts(dir.path) == std::vector<std::uint64_t>{1});
  CHECK(dir.events().size() == 3);
}

}  // namespace
}  // namespace gleaner::coordinator

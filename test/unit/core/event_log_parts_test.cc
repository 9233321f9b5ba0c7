// SPDX-License-Identifier: Apache-2.0
/// The files of a training's event log, and their order.
#include "core/event_log_parts.hh"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/unit/catch.hh"

namespace gleaner {
namespace {

struct Directory {
  Directory() { REQUIRE(::mkdtemp(path)); }
  ~Directory() { std::filesystem::remove_all(path); }
  void file(std::string const& name, std::string const& text) const {
    std::ofstream(std::string(path) + "/" + name) << text;
  }
  char path[40] = "/tmp/event_log_parts_test.XXXXXX";
};

TEST_CASE("parts are read by number, and the newest file last") {
  Directory const dir;
  dir.file("events.jsonl", "d");
  dir.file("events.1000000.jsonl", "c");
  dir.file("events.000009.jsonl", "a");
  dir.file("events.000010.jsonl", "b");
  CHECK(event_log_parts(dir.path) ==
        std::vector<std::uint64_t>{9, 10, 1000000});
  CHECK(*read_event_log(dir.path) == "abcd");
}

TEST_CASE("other files are no parts") {
  Directory const dir;
  for (auto const* name :
       {"events.jsonl", "events..jsonl", "events.x1.jsonl", "events.1x.jsonl",
        "events.000000.jsonl", "events.1.json", "my-events.000001.jsonl"})
    dir.file(name, "x");
  CHECK(event_log_parts(dir.path).empty());
}

TEST_CASE("a part's name is the one that is found") {
  CHECK(event_log_part_path("/d", 12) == "/d/events.000012.jsonl");
}

TEST_CASE("a folder without a log is named") {
  Directory const dir;
  auto const text = read_event_log(dir.path);
  REQUIRE_FALSE(text);
  CHECK(text.error().message.find(dir.path) != std::string::npos);
}

}  // namespace
}  // namespace gleaner

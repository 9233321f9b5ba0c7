// SPDX-License-Identifier: Apache-2.0
/// Which checkpoint a later run finds.
#include "runtime/coordinator/checkpoint_pointer.hh"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <utility>

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace fs = std::filesystem;

namespace {

struct RunDirectory {
  RunDirectory() {
    auto pattern = (fs::temp_directory_path() / "gleaner-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()));
    path = pattern;
  }
  ~RunDirectory() { fs::remove_all(path); }
  std::string file(std::string const& name) const {
    auto const prefix = checkpoint_prefix(path);
    std::ofstream(prefix + name) << "state";
    return prefix + name;
  }
  std::string path;
};

/// Of one run directory, which it has as long as it needs.
struct Pointer {
  explicit Pointer(RunDirectory const& run)
      : pointer(run.path, [this](std::string const& why) { trouble = why; }) {}
  void move_to(generation::membership::Register newest) {
    std::promise<void> events;
    events.set_value();
    pointer.move_to(std::move(newest), events.get_future().share());
    REQUIRE(pointer.wait(60));
  }
  std::string trouble;
  CheckpointPointer pointer;
};

}  // namespace

TEST_CASE("the newest registered checkpoint is found again") {
  RunDirectory run;
  CHECK(!read_latest(run.path));
  auto const first = run.file("1"), second = run.file("2");
  Pointer latest_of(run);
  latest_of.move_to({first, {}, 5, 40});
  latest_of.move_to({second, {}, 7, 56});
  auto const latest = read_latest(run.path);
  REQUIRE(latest);
  CHECK(latest->path == second);
  CHECK(latest->step == 7);
  CHECK(latest->samples_seen == 56);
  CHECK(fs::exists(first));
}

TEST_CASE("a checkpoint is not pointed to before the events are written") {
  RunDirectory run;
  auto const file = run.file("1");
  std::promise<void> events;
  CheckpointPointer pointer(run.path, nullptr);
  pointer.move_to({file, {}, 5, 40}, events.get_future().share());
  CHECK_FALSE(pointer.wait(0.05));
  CHECK(!read_latest(run.path));
  events.set_value();
  REQUIRE(pointer.wait(60));
  CHECK(read_latest(run.path)->step == 5);
}

TEST_CASE("superseded checkpoints are removed, once another is pointed to") {
  RunDirectory run;
  auto const old = run.file("1"), newest = run.file("2");
  Pointer(run).move_to({newest, {old}, 7, 56});
  CHECK(!fs::exists(old));
  CHECK(fs::exists(newest));
}

TEST_CASE("a pointer that cannot be written removes nothing until one can be") {
  RunDirectory run;
  auto const old = run.file("1"), newer = run.file("2"), newest = run.file("3");
  Pointer pointer(run);
  // In the way of the pointer's temporary name.
  auto const obstacle = fs::path(run.path) / "checkpoints/latest.json.tmp/x";
  fs::create_directories(obstacle);
  pointer.move_to({newer, {old}, 7, 56});
  CHECK(pointer.trouble.find("latest.json.tmp") != std::string::npos);
  CHECK(fs::exists(old));
  fs::remove_all(obstacle.parent_path());
  pointer.move_to({newest, {newer}, 8, 64});
  CHECK(!fs::exists(old));
  CHECK(!fs::exists(newer));
  CHECK(fs::exists(newest));
}

TEST_CASE("of a checkpoint whose writer was killed nothing is left") {
  RunDirectory run;
  auto const whole = run.file("1"), cut = run.file("2");
  fs::rename(cut, cut + ".tmp");
  Pointer pointer(run);
  SECTION("when its file is superseded") {
    pointer.move_to({whole, {cut}, 7, 56});
  }
  SECTION("at the end") {
    auto const other = fs::path(run.path) / "checkpoints/other-2.tmp";
    std::ofstream(other) << "state";
    pointer.pointer.remove_unfinished(whole.substr(0, whole.size() - 1));
    REQUIRE(pointer.pointer.wait(60));
    CHECK(fs::exists(other));
  }
  CHECK(!fs::exists(cut + ".tmp"));
  CHECK(fs::exists(whole));
}

TEST_CASE("a pointer to nothing, or that is torn, is none") {
  RunDirectory run;
  auto const file = run.file("1");
  Pointer(run).move_to({file, {}, 5, 40});
  fs::remove(file);
  CHECK(!read_latest(run.path));
  std::ofstream(fs::path(run.path) / "checkpoints/latest.json") << "{\"path\"";
  CHECK(!read_latest(run.path));
}

}  // namespace gleaner::coordinator

// SPDX-License-Identifier: Apache-2.0
/// Which checkpoint a later run finds.
#include "runtime/coordinator/checkpoint_pointer.hh"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/unit/catch.hh"

using namespace gleaner;
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

}  // namespace

TEST_CASE("the newest registered checkpoint is found again") {
  RunDirectory run;
  CHECK(!read_latest(run.path));
  auto const first = run.file("1"), second = run.file("2");
  REQUIRE(point_to_latest(run.path, {first, {}, 5, 40}));
  REQUIRE(point_to_latest(run.path, {second, {}, 7, 56}));
  auto const latest = read_latest(run.path);
  REQUIRE(latest);
  CHECK(latest->path == second);
  CHECK(latest->step == 7);
  CHECK(latest->samples_seen == 56);
  CHECK(fs::exists(first));
}

TEST_CASE("superseded checkpoints are removed, once another is pointed to") {
  RunDirectory run;
  auto const old = run.file("1"), newest = run.file("2");
  REQUIRE(point_to_latest(run.path, {newest, {old}, 7, 56}));
  CHECK(!fs::exists(old));
  CHECK(fs::exists(newest));
}

TEST_CASE("a pointer that cannot be written removes nothing") {
  RunDirectory run;
  auto const old = run.file("1"), newest = run.file("2");
  // In the way of the pointer's temporary name.
  fs::create_directories(fs::path(run.path) / "checkpoints/latest.json.tmp/x");
  CHECK(!point_to_latest(run.path, {newest, {old}, 7, 56}));
  CHECK(fs::exists(old));
}

TEST_CASE("a pointer to nothing, or that is torn, is none") {
  RunDirectory run;
  auto const file = run.file("1");
  REQUIRE(point_to_latest(run.path, {file, {}, 5, 40}));
  fs::remove(file);
  CHECK(!read_latest(run.path));
  std::ofstream(fs::path(run.path) / "checkpoints/latest.json") << "{\"path\"";
  CHECK(!read_latest(run.path));
}

// SPDX-License-Identifier: Apache-2.0
/// What is kept of trainings, in memory and on disk.
#include "daemon/decisions/profile_shelf.hh"

#include <fstream>

#include "daemon/io/profile_store.hh"
#include "test/unit/catch.hh"
#include "test/unit/daemon/temporary_dir.hh"

namespace gleaner::daemon {
namespace {

ProfileKey const of_job_7{1000, "train", "--gres=gpu:4", 7};
ProfileKey const of_job_8{1000, "train", "--gres=gpu:4", 8};
ProfileKey const of_all{1000, "train", "--gres=gpu:4", 0};

/// Measured on so many members, a second a step.
profile::Learned measured_on(int members) {
  profile::Learned learned;
  profile::LearnedSize size;
  size.members = members;
  size.step_s = 1;
  size.step_sd = 0.01;
  size.compute_s = 0.9;
  size.exposed_s = 0.1;
  learned.sizes = {size};
  return learned;
}

std::vector<int> sizes(profile::Learned const& learned) {
  std::vector<int> result;
  for (auto const& size : learned.sizes) result.push_back(size.members);
  return result;
}

using Sizes = std::vector<int>;

bool alike(profile::Learned const&) { return true; }
bool different(profile::Learned const&) { return false; }

TEST_CASE("a training learns from those like it, not from itself") {
  ProfileShelf shelf;
  shelf.put(of_job_7, measured_on(1), 10);
  shelf.put(of_job_8, measured_on(4), 11);
  CHECK(sizes(shelf.taught(of_job_7, alike, 12)) == Sizes{4});
  CHECK(sizes(shelf.taught(of_job_8, alike, 12)) == Sizes{1});
  CHECK(sizes(shelf.own(of_job_7)) == Sizes{1});
  for (auto const& other : {ProfileKey{1001, "train", "--gres=gpu:4", 9},
                            ProfileKey{1000, "nas", "--gres=gpu:4", 9},
                            ProfileKey{1000, "train", "--gres=gpu:1", 9}})
    CHECK(sizes(shelf.taught(other, alike, 12)).empty());
}

TEST_CASE("what an ended training taught counts once") {
  ProfileShelf shelf;
  shelf.put(of_job_7, measured_on(1), 10);
  shelf.fold(of_job_7, alike, 11);
  shelf.put(of_job_8, measured_on(1), 12);
  shelf.fold(of_job_8, alike, 13);
  auto const taught =
      shelf.taught({1000, "train", "--gres=gpu:4", 9}, alike, 14);
  REQUIRE(sizes(taught) == Sizes{1});
  CHECK(taught.sizes[0].trainings == 2);
  shelf.fold(of_job_8, alike, 15);  // again
  CHECK(shelf.own(of_all).sizes[0].trainings == 2);
}

TEST_CASE(
    "trainings of one family that are not alike teach each other nothing") {
  ProfileShelf shelf;
  shelf.put(of_job_7, measured_on(1), 10);
  CHECK(sizes(shelf.taught(of_job_8, different, 11)).empty());
  shelf.fold(of_job_7, alike, 12);
  shelf.put(of_job_8, measured_on(4), 13);
  shelf.fold(of_job_8, different, 14);
  CHECK(sizes(shelf.own(of_all)) == Sizes{4});  // the latest
}

TEST_CASE("trainings that ended without gleanerd are ended trainings") {
  ProfileShelf shelf;
  shelf.load({{of_job_7, measured_on(1), 10}, {of_job_8, measured_on(4), 10}});
  shelf.fold_all_but({8}, 20);
  CHECK(sizes(shelf.own(of_all)) == Sizes{1});
  CHECK(sizes(shelf.own(of_job_8)) == Sizes{4});
}

TEST_CASE("what has changed is told once, and what is gone, too") {
  ProfileShelf shelf;
  shelf.put(of_job_7, measured_on(1), 10);
  REQUIRE(shelf.take_changed().size() == 1);
  CHECK(shelf.take_changed().empty());
  shelf.put(of_job_7, measured_on(1), 11);  // the same
  CHECK(shelf.take_changed().empty());
  shelf.fold(of_job_7, alike, 12);
  auto const rows = shelf.take_changed();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].key == of_job_7);
  CHECK(rows[0].learned.sizes.empty());
  CHECK(rows[1].key == of_all);
}

TEST_CASE("the shelf has an end, and what is used stays on it") {
  ProfileShelf shelf;
  auto const key = [](std::size_t i) {
    return ProfileKey{1000, "train " + std::to_string(i), "", 0};
  };
  for (std::size_t i = 0; i <= ProfileShelf::rows_max; ++i) {
    shelf.put(key(i), measured_on(1), 100 + double(i));
    if (i == 500) shelf.taught(key(0), alike, 1e6);
  }
  CHECK(shelf.size() <= ProfileShelf::rows_max);
  CHECK(shelf.size() > ProfileShelf::rows_max / 2);
  CHECK(sizes(shelf.own(key(0))) == Sizes{1});
  CHECK(sizes(shelf.own(key(1))).empty());
  CHECK(sizes(shelf.own(key(ProfileShelf::rows_max))) == Sizes{1});
}

TEST_CASE("what is kept on disk is there after a restart") {
  TemporaryDir const dir;
  auto const path = dir.path() + "/profiles.sqlite";
  {
    auto store = ProfileStore::open(path);
    REQUIRE(store);
    REQUIRE((*store)->save(
        {{of_job_7, measured_on(1), 10}, {of_job_8, measured_on(4), 11}}));
    REQUIRE((*store)->save({{of_job_7, {}, 0}}));
  }
  auto store = ProfileStore::open(path);
  REQUIRE(store);
  auto const loaded = (*store)->load();
  REQUIRE(loaded);
  REQUIRE(loaded->rows.size() == 1);
  CHECK(loaded->rows[0].key == of_job_8);
  CHECK(loaded->rows[0].learned == measured_on(4));
  CHECK(loaded->rows[0].used_s == 11);
  CHECK(loaded->unreadable == 0);
}

TEST_CASE("a store that is none is refused by its name") {
  TemporaryDir const dir;
  auto const path = dir.path() + "/profiles.sqlite";
  std::ofstream(path)
      << "this is no database, and long enough to be seen so\\n";
  auto const store = ProfileStore::open(path);
  REQUIRE_FALSE(store);
  CHECK_THAT(store.error().message, Catch::Contains(path));
}

}  // namespace
}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// Whose a directory in memory is, and when it goes.
#include "runtime/os/owned_directory.hh"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "test/unit/catch.hh"

namespace gleaner::os {
namespace {

namespace fs = std::filesystem;

TEST_CASE("an owned directory is this user's only, and goes with its owner") {
  std::string path;
  {
    auto const directory = OwnedDirectory::make();
    REQUIRE(directory);
    path = directory->path();
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
    fs::create_directory(path + "/segments");
  }
  CHECK(!fs::exists(path));
}

TEST_CASE("what a killed owner left can be removed, and nothing else is") {
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  pid_t const owner = ::fork();
  if (owner == 0) {
    auto const directory = OwnedDirectory::make();
    auto const path = directory ? directory->path() : "";
    [[maybe_unused]] auto const n = ::write(pipe[1], path.data(), path.size());
    ::pause();
  }
  char text[256] = "";
  REQUIRE(::read(pipe[0], text, sizeof text - 1) > 0);
  auto const beside = OwnedDirectory::make();
  REQUIRE(beside);
  OwnedDirectory::remove_abandoned();
  CHECK(fs::exists(text));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  CHECK(fs::exists(text));
  OwnedDirectory::remove_abandoned();
  CHECK(!fs::exists(text));
  CHECK(fs::exists(beside->path()));
  ::close(pipe[0]), ::close(pipe[1]);
}

}  // namespace
}  // namespace gleaner::os

// SPDX-License-Identifier: Apache-2.0
/// How sruns are started, watched and ended.  A script stands in PATH for srun:
/// the real one runs in the system tests.
#include "runtime/coordinator/lease_launcher.hh"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

using namespace std::string_literals;

/// A launcher whose srun is this script.
struct Rig {
  std::string dir;
  std::string old_path = std::getenv("PATH");
  asio::io_context io;
  std::optional<LeaseLauncher> launcher;
  std::string node, why;
  int code = -1;

  explicit Rig(std::string const& script) {
    char base[] = "/tmp/launcher_test.XXXXXX";
    REQUIRE(::mkdtemp(base));
    dir = base;
    std::ofstream(dir + "/srun") << "#!/bin/sh\n" << script << '\n';
    ::chmod((dir + "/srun").c_str(), 0755);
    ::setenv("PATH", (dir + ":" + old_path).c_str(), 1);
    launcher.emplace(
        io,
        LeaseLauncher::Options{LeaseLauncher::Via::srun, "agent", "h:1",
                               [] { return "known to few"s; }, "/run/m", dir},
        [this](auto const& n, int c, std::string w) {
          node = n, code = c, why = std::move(w);
        });
  }
  ~Rig() {
    launcher.reset();
    ::setenv("PATH", old_path.c_str(), 1);
    std::filesystem::remove_all(dir);
  }
  bool run_until_ended() {
    auto const end =
        std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (code < 0 && std::chrono::steady_clock::now() < end)
      io.run_one_for(std::chrono::milliseconds(20));
    return code >= 0;
  }
  bool exists(std::string const& name) const {
    return std::filesystem::exists(dir + "/" + name);
  }
};

TEST_CASE("why Slurm refused is the last thing srun complained about") {
  Rig rig("echo 'srun: error: Unable to allocate resources: busy' >&2; exit 1");
  REQUIRE(rig.launcher->start({"n3", "t", 5, 0}));
  REQUIRE(rig.run_until_ended());
  CHECK(rig.node == "n3");
  CHECK(rig.code == 1);
  CHECK(rig.why == "srun: error: Unable to allocate resources: busy");
  CHECK(rig.launcher->empty());
}

TEST_CASE("the agent learns where to connect, and the template is asked for") {
  Rig rig(
      "echo \"$*\" | grep -q -- --gres=gpu:4 && "
      "[ $GLEANER_COORDINATOR = h:1 ] && "
      "[ $GLEANER_MUNGE_SOCKET = /run/m ] && "
      "[ $GLEANER_NODE = n3 ] && exit 0; exit 9");
  rig.launcher->set_lease_options({"--gres=gpu:4"});
  REQUIRE(rig.launcher->start({"n3", "t", 5, 0}));
  REQUIRE(rig.run_until_ended());
  CHECK(rig.code == 0);
}

TEST_CASE("the agent reads the secret, and srun's environment has none") {
  Rig rig(
      "echo \"$*\" | grep -q -- --input=all && ! env | grep 'known to few' && "
      "[ \"$(cat)\" = 'known to few' ] && exit 0; exit 9");
  REQUIRE(rig.launcher->start({"n3", "t", 5, 0}));
  REQUIRE(rig.run_until_ended());
  CHECK(rig.code == 0);
}

TEST_CASE("a node has one lease at a time") {
  Rig rig("exec sleep 60");
  REQUIRE(rig.launcher->start({"n3", "t", 5, 0}));
  CHECK_FALSE(rig.launcher->start({"n3", "u", 5, 0}));
  rig.launcher->end("n3");
  REQUIRE(rig.run_until_ended());
  CHECK(rig.code == 128 + SIGTERM);
}

TEST_CASE("an srun that ignores SIGTERM is killed") {
  Rig rig("trap '' TERM; : > up; while :; do sleep 0.05; done");
  REQUIRE(rig.launcher->start({"n3", "t", 5, 0}));
  for (int poll = 0; poll < 500 && !rig.exists("up"); ++poll)
    rig.io.run_one_for(std::chrono::milliseconds(10));
  rig.launcher->end("n3");
  REQUIRE(rig.run_until_ended());
  CHECK(rig.code == 128 + SIGKILL);
}

TEST_CASE(
    "agents that are left when the coordinator ends may give nodes back") {
  Rig rig(
      "trap ': > gave_back; exit' TERM; : > up; while :; do sleep 0.05; done");
  REQUIRE(rig.launcher->start({"n3", "t", 5, 0}));
  for (int poll = 0; poll < 500 && !rig.exists("up"); ++poll)
    rig.io.run_one_for(std::chrono::milliseconds(10));
  rig.launcher.reset();
  CHECK(rig.exists("gave_back"));
}

TEST_CASE("an srun on a disk that stands still holds nobody up") {
  Rig rig("exit 7");
  auto const path = rig.dir + "/srun";
  // Who opens a file that is leased waits until the lease is given up.
  auto const former = ::signal(SIGIO, SIG_IGN);
  int const leased = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(leased >= 0);
  REQUIRE(::fcntl(leased, F_SETLEASE, F_WRLCK) == 0);
  auto const begun = std::chrono::steady_clock::now();
  REQUIRE(rig.launcher->start({"n3", "t", 5, 0}));
  rig.io.run_for(std::chrono::milliseconds(300));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
  CHECK(rig.code == -1);
  SECTION("and starts when the disk is back") {
    ::fcntl(leased, F_SETLEASE, F_UNLCK);
    REQUIRE(rig.run_until_ended());
    CHECK(rig.code == 7);
  }
  SECTION("and can be given up, which is not taken for a signal to us") {
    int signals = 0;
    asio::signal_set ours(rig.io, SIGTERM);
    ours.async_wait([&](auto error, int) { signals += !error; });
    rig.launcher->end("n3");
    ::fcntl(leased, F_SETLEASE, F_UNLCK);
    REQUIRE(rig.run_until_ended());
    CHECK(rig.code == 128 + SIGTERM);
    rig.io.run_for(std::chrono::milliseconds(100));
    CHECK(signals == 0);
  }
  ::close(leased);
  ::signal(SIGIO, former);
}

TEST_CASE("an srun that is not there is named") {
  Rig rig("exit 0");
  std::filesystem::remove(rig.dir + "/srun");
  ::setenv("PATH", rig.dir.c_str(), 1);
  REQUIRE(rig.launcher->start({"n3", "t", 5, 0}));
  REQUIRE(rig.run_until_ended());
  CHECK(rig.code == 127);
  CHECK(rig.why.find("cannot start 'srun' (No such file") == 0);
}

}  // namespace
}  // namespace gleaner::coordinator

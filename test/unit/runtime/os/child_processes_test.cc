// SPDX-License-Identifier: Apache-2.0
/// How our children are started, ended and reported.
#include "runtime/os/child_processes.hh"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <thread>

#include "test/unit/catch.hh"

namespace gleaner::os {
namespace {

ChildCommand shell(std::string script) {
  ChildCommand command;
  command.argv = {"/bin/sh", "-c", std::move(script)};
  command.env = {"PATH=/usr/bin:/bin"};
  command.cwd = "/";
  return command;
}

/// Reap until `n` children have ended, at most 10 s.
std::map<ChildProcesses::Key, int> reap_all(ChildProcesses& processes,
                                            std::size_t n) {
  std::map<ChildProcesses::Key, int> codes;
  for (int poll = 0; poll < 10000 && codes.size() < n; ++poll) {
    processes.reap([&](auto key, int code) { codes[key] = code; });
    if (codes.size() < n)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // poll
  }
  return codes;
}

TEST_CASE("a child's end is reported with its exit status") {
  ChildProcesses processes;
  REQUIRE(processes.start(1, shell("exit 3")));
  REQUIRE(processes.start(2, shell("kill -TERM $$")));
  CHECK(reap_all(processes, 2) ==
        std::map<ChildProcesses::Key, int>{{1, 3}, {2, 128 + SIGTERM}});
  CHECK(processes.empty());
}

TEST_CASE("a killed child takes along what it started") {
  ChildProcesses processes;
  // The child would keep the pipe open for a minute.
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  ::dup2(pipe[1], 1000);
  auto const pid = processes.start(1, shell("sleep 60 & wait"));
  REQUIRE(pid);
  processes.signal(1, SIGKILL);
  CHECK(reap_all(processes, 1).at(1) == 128 + SIGKILL);
  for (int poll = 0; poll < 5000 && ::kill(-*pid, 0) == 0; ++poll)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // poll
  CHECK(::kill(-*pid, 0) != 0);
  ::close(pipe[0]), ::close(pipe[1]), ::close(1000);
}

TEST_CASE("a program that is not there is named, and nothing is left") {
  ChildProcesses processes;
  auto const pid =
      processes.start(1, {{"./no-such-train"}, {}, "/", SIGKILL, -1});
  REQUIRE_FALSE(pid);
  CHECK(pid.error().message.find("cannot start './no-such-train'") == 0);
  auto const lost =
      processes.start(1, {{"/bin/true"}, {}, "/no/such/dir", SIGKILL, -1});
  REQUIRE_FALSE(lost);
  CHECK(lost.error().message.find("cannot enter directory '/no/such/dir'") ==
        0);
  CHECK(processes.empty());
}

TEST_CASE("children inherit no open files and read nothing") {
  ChildProcesses processes;
  int const open = ::dup(STDERR_FILENO);
  REQUIRE(processes.start(
      1, shell("[ -e /proc/self/fd/" + std::to_string(open) +
               " ] && exit 9; read line; [ -z \"$line\" ] || exit 8")));
  CHECK(reap_all(processes, 1).at(1) == 0);
  ::close(open);
}

}  // namespace
}  // namespace gleaner::os

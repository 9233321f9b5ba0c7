// SPDX-License-Identifier: Apache-2.0
/// How a process ends while its threads sign.
#include "proto/libcrypto_use.hh"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "proto/secret.hh"
#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

/// As a member's program that fails: exit() with threads under way.
[[noreturn]] void exit_while_threads_sign(int code) {
  std::atomic<int> signing{0};
  for (int i = 0; i < 4; ++i)
    std::thread([&] {
      auto text = hmac_hex("key", "0");
      for (++signing;;) text = hmac_hex("key", text);
    }).detach();
  while (signing < 4) std::this_thread::yield();
  std::exit(code);
}

TEST_CASE("a process whose threads sign ends with the code that it chose") {
  for (int i = 0; i < 20; ++i) {
    auto const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) exit_while_threads_sign(5);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 5);
  }
}

TEST_CASE("exit waits a second at most for who uses libcrypto") {
  auto const began = std::chrono::steady_clock::now();
  auto const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // Never comes back; in a forked child it may not even be there.
    static std::atomic<bool> uses{false};
    std::thread([] {
      LibcryptoUse const use;
      uses = bool(use);
      std::this_thread::sleep_for(std::chrono::hours(1));
    }).detach();
    while (!uses) std::this_thread::yield();
    std::exit(6);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 6);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
}

}  // namespace
}  // namespace gleaner::proto

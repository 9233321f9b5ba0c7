// SPDX-License-Identifier: Apache-2.0
/// A broken contract ends the process, and says with which values.
#include "core/contract.hh"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "test/unit/catch.hh"

namespace gleaner {

namespace {

struct End {
  int signal = 0;
  std::string said;
};

/// What becomes of a process that does this.
End after(std::function<void()> const& act) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  auto const child = ::fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    act();
    ::_exit(0);
  }
  ::close(ends[1]);
  End end;
  char bytes[1000];
  for (ssize_t n; (n = ::read(ends[0], bytes, sizeof bytes)) > 0;)
    end.said.append(bytes, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return end;
}

int larger(int a, int b) { return a > b ? a : b; }

TEST_CASE("a contract that holds does nothing") {
  int const rank = 2, members = 3;
  EXPECT(rank < members, rank, members);
  ENSURE(rank < members);
}

TEST_CASE("a broken contract names its condition, its values and its place") {
  int const rank = 5, members = 3;
  auto const end = after([&] { EXPECT(rank < members, rank, members); });
  CHECK(end.signal == SIGABRT);
  CHECK_THAT(end.said, Catch::StartsWith("contract_test.cc:"));
  CHECK_THAT(end.said, Catch::Contains("EXPECT failed: rank < members (rank = "
                                       "5, members = 3)\n"));
}

TEST_CASE("values may be texts, calls, or none at all") {
  std::string const node = "n1";
  CHECK_THAT(after([&] { ENSURE(node.empty(), node, larger(1, 2)); }).said,
             Catch::Contains("ENSURE failed: node.empty() (node = 'n1', "
                             "larger(1, 2) = 2)\n"));
  CHECK_THAT(after([&] { EXPECT(node.empty()); }).said,
             Catch::Contains("EXPECT failed: node.empty()\n"));
}

TEST_CASE("a condition is looked at once") {
  int looked = 0;
  EXPECT(++looked > 0, looked);
  CHECK(looked == 1);
}

}  // namespace

}  // namespace gleaner

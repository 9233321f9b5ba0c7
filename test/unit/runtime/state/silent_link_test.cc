// SPDX-License-Identifier: Apache-2.0
/// When a transfer of state is given up because the link is down, of which
/// nobody says anything.
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "runtime/os/tcp_silence.hh"
#include "runtime/state/transfer.hh"
#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

constexpr double silence_s = 1;

/// A connection in a network of its own, whose only link can be cut.
class Link {
 public:
  Link() {
    std::thread([this] {  // only this thread moves to the other network
      made_ = ::unshare(CLONE_NEWNET) == 0 ||
              ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
      if (!made_) return;
      control_ = os::Fd(::socket(AF_INET, SOCK_DGRAM, 0));
      set_up(true);
      connect();
    })
        .join();
  }
  bool made() const { return made_; }
  int one() const { return one_.get(); }
  int other() const { return other_.get(); }
  void cut() { set_up(false); }

 private:
  void set_up(bool up) {
    ifreq request{};
    std::string("lo").copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_flags = up ? IFF_UP | IFF_RUNNING : 0;
    made_ = made_ && ::ioctl(control_.get(), SIOCSIFFLAGS, &request) == 0;
  }
  void connect() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* at = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    os::Fd const listener(::socket(AF_INET, SOCK_STREAM, 0));
    one_ = os::Fd(::socket(AF_INET, SOCK_STREAM, 0));
    made_ = made_ && ::bind(listener.get(), at, size) == 0 &&
            ::listen(listener.get(), 1) == 0 &&
            ::getsockname(listener.get(), at, &size) == 0 &&
            ::connect(one_.get(), at, size) == 0;
    other_ = os::Fd(::accept(listener.get(), nullptr, nullptr));
    made_ = made_ && bool(other_);
    os::keep_alive(one_.get());
    os::keep_alive(other_.get());
  }

  bool made_ = false;
  os::Fd control_, one_, other_;
};

/// Where a process may not make networks of its own there is nothing to see.
/// CI may, and must not lose the test unnoticed.
#define REQUIRE_LINK(link)                                             \
  if (!(link).made()) {                                                \
    if (std::getenv("CI")) FAIL("this process may not make networks"); \
    WARN("skipped: this process may not make networks");               \
    return;                                                            \
  }

std::future<Result<void>> begin(int fd, Stream::Direction direction,
                                std::vector<char>& bytes) {
  return std::async(std::launch::async, [=, &bytes] {
    SealedSocket socket(fd, {"one way", "the other way"});
    std::vector<Stream> streams(1);
    streams[0] = {&socket, direction, {{bytes.data(), bytes.size()}}};
    streams[0].silence_s = silence_s;
    move_all(streams);
    return streams[0].done;
  });
}

bool over_within(std::future<Result<void>>& transfer, double seconds) {
  return transfer.wait_for(std::chrono::duration<double>(seconds)) ==
         std::future_status::ready;
}

/// Checks run beside other programs on few cores.
constexpr double slack_s = 8;

}  // namespace

TEST_CASE("a transfer over a link that is cut ends") {
  Link link;
  REQUIRE_LINK(link);
  std::vector<char> bytes(64 << 20);
  auto const direction =
      GENERATE(Stream::Direction::receive, Stream::Direction::send);
  auto transfer = begin(link.one(), direction, bytes);
  CHECK_FALSE(over_within(transfer, .2));
  link.cut();
  bool const over = over_within(transfer, silence_s + slack_s);
  CHECK(over);
  if (!over) ::shutdown(link.one(), SHUT_RDWR);
  auto const done = transfer.get();
  REQUIRE_FALSE(done);
  CHECK(done.error().message.find("timed out") != std::string::npos);
}

TEST_CASE("a peer may take its time while its machine answers") {
  Link link;
  REQUIRE_LINK(link);
  std::vector<char> bytes(64 << 20);
  auto const direction =
      GENERATE(Stream::Direction::receive, Stream::Direction::send);
  auto transfer = begin(link.one(), direction, bytes);
  CHECK_FALSE(over_within(transfer, 4 * silence_s));
  ::shutdown(link.one(), SHUT_RDWR);
  CHECK(over_within(transfer, slack_s));
  CHECK_FALSE(transfer.get());
}

TEST_CASE("what is no connection between machines is never silent") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  os::Fd const one(ends[0]), other(ends[1]);
  os::keep_alive(one.get());
  CHECK_FALSE(os::is_silent(one.get(), 0));
}

}  // namespace gleaner::state

// SPDX-License-Identifier: Apache-2.0
/// What plane tcp promises beyond what every plane does: who may connect, what
/// it costs, and how soon a loss is known.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <filesystem>
#include <functional>
#include <numeric>

#include "core/clock.hh"
#include "runtime/comm/tcp/connecting.hh"
#include "runtime/comm/tcp/contact.hh"
#include "tcp/team.hh"
#include "test/unit/catch.hh"

namespace gleaner::comm {
using namespace test;

namespace {

#ifdef __SANITIZE_THREAD__
constexpr double loss_known_s_max = 2;  // sums are a hundred times as slow
#else
constexpr double loss_known_s_max = 1;  // a busy machine; no timeout is less
#endif

os::Fd connected_to(tcp::Contact const& contact) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::uint16_t(contact.port));
  ::inet_pton(AF_INET, contact.host.c_str(), &address.sin_addr);
  os::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                sizeof address) != 0)
    fd = os::Fd();
  return fd;
}

bool all_succeeded(std::vector<Result<void>> const& results) {
  for (auto const& result : results)
    if (!result) {
      UNSCOPED_INFO(result.error().message);
      return false;
    }
  return true;
}

bool all_failed(std::vector<Result<void>> const& results) {
  for (auto const& result : results)
    if (result) return false;
  return true;
}

/// Every member adds up its rank + 1.
bool sums(Team& team, std::size_t n = 1000) {
  auto const size = float(team.planes.size());
  std::vector<Result<void>> done = team.on_each([&](std::size_t i) {
    std::vector<float> const local(n, float(i + 1));
    std::vector<float> sum(n);
    auto result = team.planes[i]->allreduce(local.data(), sum.data(), n,
                                            Element::float32);
    if (result && (sum[0] != size * (size + 1) / 2 || sum[n - 1] != sum[0]))
      return Result<void>(Error{Errc::io, "wrong sum"});
    return result;
  });
  return all_succeeded(done);
}

/// Nobody listens there.
int free_port() { return tcp::Listening::open("127.0.0.1")->port(); }

/// Of rank 0, while rank 1 is said to be at this port, on another node.
Errc why_not_connected(int port, double timeout_s) {
  PlaneOptions options{0, 2, "127.0.0.1"};
  auto const made = make_plane("tcp", options);
  REQUIRE(made);
  auto const done = (*made)->connect(
      [&](auto const&, std::string const& blob) {
        tcp::Contact const other{"127.0.0.1", port,        "none",
                                 "",          "elsewhere", "z"};
        return Result<std::vector<std::string>>({blob, other.text()});
      },
      timeout_s);
  REQUIRE(!done);
  return done.error().code;
}

int open_descriptors() {
  auto const all = std::filesystem::directory_iterator("/proc/self/fd");
  return int(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("a member with another secret is refused") {
  Team team(2, [](PlaneOptions& options) {
    if (options.rank == 1) options.secret = "a guess";
  });
  auto const took_s = seconds_of([&] { CHECK(all_failed(team.connect(0.5))); });
  CHECK(took_s < 3);
}

TEST_CASE("a member of another generation is refused") {
  Team team(2, [](PlaneOptions& options) {
    if (options.rank == 1) options.generation = 8;
  });
  CHECK(all_failed(team.connect(0.5)));
}

TEST_CASE("a stranger who connects first takes nobody's place") {
  std::vector<os::Fd> strangers;
  Team team(3);
  CHECK(all_succeeded(team.connect(20, [&](auto const& texts) {
    // They come to every member before its peers know where it is: some say
    // nothing, some nonsense, some what a peer would say, without a proof.
    for (auto const& text : texts) {
      auto const contact = *tcp::Contact::parse(text);
      for (int i = 0; i < 100; ++i) {
        auto fd = connected_to(contact);
        REQUIRE(fd);
        tcp::Hello hello;
        hello.generation = 7;
        hello.from = std::uint32_t(i % 3);
        hello.to = std::uint32_t(&text - texts.data());
        auto said = hello.bytes();
        if (i % 4 == 1) said = std::string(64, 'x');
        if (i % 4 == 2) said += std::string(tcp::proof_bytes, '0');
        if (i % 4 != 0)
          (void)!::send(fd.get(), said.data(), said.size(), MSG_NOSIGNAL);
        strangers.push_back(std::move(fd));
      }
    }
  })));
  CHECK(sums(team));
}

TEST_CASE("strangers and nobody else: connect ends in time") {
  // Rank 1 does not come: its address is one where a stranger listens.
  auto const stranger = tcp::Listening::open("127.0.0.1");
  REQUIRE(stranger);
  auto const took_s = seconds_of([&] {
    CHECK(why_not_connected(stranger->port(), 0.3) == Errc::timed_out);
  });
  CHECK(took_s < 2);
}

TEST_CASE("a member that is gone is not waited for") {
  auto const took_s = seconds_of(
      [&] { CHECK(why_not_connected(free_port(), 20) == Errc::unavailable); });
  CHECK(took_s < 2);
}

TEST_CASE("without descriptors a caller waits, and nobody spins") {
  PlaneOptions options{1, 2, "127.0.0.1"};
  options.topology = "s2";  // the other calls
  auto const made = make_plane("tcp", options);
  REQUIRE(made);
  os::Fd caller;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  auto const used_s = thread_cpu_s();
  auto const done = (*made)->connect(
      [&](auto const&, std::string const& blob) {
        caller = connected_to(*tcp::Contact::parse(blob));
        auto none = before;
        none.rlim_cur = rlim_t(os::Fd(::dup(caller.get())).get());
        ::setrlimit(RLIMIT_NOFILE, &none);
        tcp::Contact const other{"127.0.0.1", 1, "none", "", "elsewhere", "s1"};
        return Result<std::vector<std::string>>({other.text(), blob});
      },
      0.5);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(thread_cpu_s() - used_s < 0.2);
  REQUIRE(!done);
  CHECK(done.error().code == Errc::timed_out);
  CHECK(done.error().message.find("no file descriptors left") !=
        std::string::npos);
}

TEST_CASE("a loss ends the sums of all others at once, not after a timeout") {
  for (int members_per_node : {1, 2, 8}) {
    Team team(8, [=](PlaneOptions& options) {
      options.node = std::to_string(options.rank / members_per_node);
    });
    REQUIRE(all_succeeded(team.connect()));
    INFO(members_per_node << " members on a node");
    std::chrono::steady_clock::time_point gone;
    auto const done = team.on_each([&](std::size_t i) -> Result<void> {
      if (i == 5) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        gone = std::chrono::steady_clock::now();
        team.planes[i].reset();
        return Error{Errc::unavailable, "gone"};
      }
      std::vector<float> const local(1 << 20);
      std::vector<float> sum(local.size());
      return team.planes[i]->allreduce(local.data(), sum.data(), local.size(),
                                       Element::float32);
    });
    std::chrono::duration<double> const took =
        std::chrono::steady_clock::now() - gone;
    CHECK(all_failed(done));
    CHECK(took.count() < loss_known_s_max);
    for (std::size_t i = 0; i < team.planes.size(); ++i)
      if (i != 5) {
        float one = 1, sum = 0;
        CHECK(!team.planes[i]->allreduce(&one, &sum, 1, Element::float32));
      }
  }
}

TEST_CASE("stop ends a send, a receive and a group whose others do not come") {
  auto const calls = std::vector<std::function<Result<void>(Plane&)>>{
      [](Plane& plane) {
        int number = 0;
        return plane.send(&number, sizeof number, 1);
      },
      [](Plane& plane) {
        int number = 0;
        return plane.receive(&number, sizeof number, 1);
      },
      [](Plane& plane) {
        auto const group = plane.group({0, 1}, 20);
        return group ? Result<void>() : Result<void>(group.error());
      }};
  for (auto const& call : calls) {
    Team team(2, [](PlaneOptions& options) { options.pairs = true; });
    REQUIRE(all_succeeded(team.connect()));
    Result<void> done;
    std::thread waiting([&] { done = call(*team.planes[0]); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    auto const took_s = seconds_of([&] {
      team.planes[0]->stop();
      waiting.join();
    });
    CHECK(!done);
    CHECK(took_s < 1);
  }
}

TEST_CASE("members that sum different lengths fail; nobody sums nonsense") {
  for (std::size_t const n : {std::size_t(100), std::size_t(1) << 20}) {
    Team team(2);
    REQUIRE(all_succeeded(team.connect()));
    auto const done = team.on_each([&](std::size_t i) {
      std::vector<float> const local(n + i);
      std::vector<float> sum(n + i);
      return team.planes[i]->allreduce(local.data(), sum.data(), n + i,
                                       Element::float32);
    });
    CHECK(all_failed(done));
  }
}

TEST_CASE("ranks keep their meaning when a ring is sorted by switch") {
  Team team(6, [](PlaneOptions& options) {
    options.topology = options.rank % 2 ? "s1" : "s2";
  });
  REQUIRE(all_succeeded(team.connect()));
  CHECK(sums(team, 1));
  CHECK(sums(team, 1 << 20));
}

TEST_CASE("a member has few descriptors, and gives all of them back") {
  constexpr int members = 32;
  auto const before = open_descriptors();
  {
    Team team(members);
    REQUIRE(all_succeeded(team.connect()));
    // Two neighbours, log2(n) - 1 others, and the signal to stop.
    CHECK(open_descriptors() - before <= members * (2 + 5 - 1 + 1));
    CHECK(sums(team));
  }
  {
    Team team(members, [](PlaneOptions& options) { options.node = "one"; });
    REQUIRE(all_succeeded(team.connect()));
    // The memory, two doorbells, one alarm; three in a tree; to stop.
    CHECK(open_descriptors() - before <= members * (4 + 3 + 1));
    CHECK(sums(team));
    CHECK(sums(team, 1 << 20));
  }
  {
    Team team(3);
    CHECK(!team.planes[0]->connect(
        [](auto const&, auto const&) -> Result<std::vector<std::string>> {
          return Error{Errc::unavailable, "given up"};
        },
        1));
  }
  CHECK(open_descriptors() == before);
}

}  // namespace gleaner::comm

// SPDX-License-Identifier: Apache-2.0
/// What a comm host does when its processes and its members come and go.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <bit>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "planes/comm_hosts.hh"
#include "planes/members.hh"
#include "runtime/os/cpu_list.hh"
#include "runtime/os/memory.hh"
#include "test/unit/catch.hh"

namespace gleaner::comm_host {
namespace {

namespace fs = std::filesystem;
using comm::test::CommHostProcess;
using comm::test::Members;

bool within_s(double limit_s, auto condition) {
  auto const end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // poll
  }
  return true;
}

std::vector<pid_t> children_of(pid_t pid) {
  auto const task = "/proc/" + std::to_string(pid) + "/task/";
  std::ifstream file(task + std::to_string(pid) + "/children");
  std::vector<pid_t> pids;
  for (pid_t child; file >> child;) pids.push_back(child);
  return pids;
}

std::size_t jobs_of(CommHostProcess const& host) {
  std::size_t n = 0;
  for (auto const& entry : fs::directory_iterator(host.dir()))
    n += entry.path().filename().string().rfind("gleaner-", 0) == 0;
  return n;
}

/// Members as threads of this process, on one comm host, each with its share
/// of the node.
comm::test::PlaneUnderTest on(CommHostProcess const& host,
                              std::vector<std::string> cpus = {}) {
  comm::test::PlaneUnderTest plane;
  plane.name = "mpi";
  plane.make = [path = host.socket_path(), cpus](int member,
                                                 comm::PlaneOptions options) {
    options.comm_host = path;
    if (!cpus.empty()) options.cpus = cpus.at(std::size_t(member));
    return comm::make_plane("mpi", options);
  };
  return plane;
}

bool failed(nlohmann::json const& answer) {
  return answer.contains("ok") && !answer.value("ok", true);
}

constexpr std::size_t some = 65537;

TEST_CASE("a killed comm process fails the sum of its member at once") {
  CommHostProcess host;
  Members members(on(host), 3);
  REQUIRE(members.connect_all(1, {0, 1, 2}));
  auto const processes = children_of(host.pid());
  REQUIRE(processes.size() == 3);
  std::vector<Members::Ticket> spins;
  for (int m : {0, 1, 2}) spins.push_back(members.spin(m, 1, some, 5));
  for (auto spin : spins) CHECK(members.wait_told(spin));
  ::kill(processes[0], SIGKILL);
  // Which member's it was is not known here; one notices, and then all stop.
  int noticed = 0;
  for (auto spin : spins) noticed += failed(members.wait(spin, 1));
  CHECK(noticed >= 1);
  CHECK(members.stop_all(1, {0, 1, 2}));
  CHECK(within_s(5, [&] { return children_of(host.pid()).empty(); }));
  REQUIRE(members.connect_all(2, {0, 1, 2}));
  CHECK(members.check_sum(2, {0, 1, 2}, comm::Element::float32, some, 1) == "");
}

TEST_CASE("a comm process runs where its member does") {
  CommHostProcess host;
  // A node with one core has nothing to share.
  auto const all = os::cpu_mask(os::affinity_of(0)).at(0);
  auto const first = std::to_string(std::countr_zero(all));
  auto const last = std::to_string(63 - std::countl_zero(all));
  Members members(on(host, {first, last, ""}), 3);
  REQUIRE(members.connect_all(1, {0, 1, 2}));
  std::multiset<std::string> bound;
  for (auto process : children_of(host.pid()))
    bound.insert(os::affinity_of(process));
  CHECK(bound == std::multiset{first, last, os::affinity_of(0)});
  CHECK(members.stop_all(1, {0, 1, 2}));
}

TEST_CASE("nothing is left of a generation whose planes are gone") {
  CommHostProcess host;
  Members members(on(host), 2);
  for (int generation = 1; generation <= 3; ++generation) {
    REQUIRE(members.connect_all(generation, {0, 1}));
    CHECK(jobs_of(host) == 1);
    CHECK(members.stop_all(generation, {0, 1}));
    CHECK(within_s(5, [&] { return children_of(host.pid()).empty(); }));
    CHECK(within_s(5, [&] { return jobs_of(host) == 0; }));
  }
}

TEST_CASE("without its comm host no process and no sum goes on") {
  CommHostProcess host;
  Members members(on(host), 2);
  REQUIRE(members.connect_all(1, {0, 1}));
  auto const processes = children_of(host.pid());
  std::vector<Members::Ticket> spins;
  for (int m : {0, 1}) spins.push_back(members.spin(m, 1, some, 5));
  CHECK(members.wait_told(spins[0]));
  ::kill(host.pid(), SIGKILL);
  for (auto spin : spins) CHECK(failed(members.wait(spin, 5)));
  for (auto process : processes)
    CHECK(within_s(5, [&] { return ::kill(process, 0) != 0; }));
  auto const connect = members.connect(0, 2, 0, 2, 2);
  CHECK(failed(members.wait(connect, 5)));
}

TEST_CASE("a comm process that cannot begin is told, with its exit status") {
  // Told to ask no server, Open MPI gives up.
  ::setenv("OMPI_MCA_pmix", "isolated", 1);
  CommHostProcess host;
  ::unsetenv("OMPI_MCA_pmix");
  Members members(on(host), 2);
  std::vector<Members::Ticket> tickets;
  for (int m : {0, 1}) tickets.push_back(members.connect(m, 1, m, 2));
  for (auto ticket : tickets) {
    auto const answer = members.wait(ticket, 10);
    INFO(answer.dump());
    CHECK(failed(answer));
    CHECK(answer.value("why", "").find("exit status 1") != std::string::npos);
  }
}

TEST_CASE("a message that makes no sense ends its connection alone") {
  CommHostProcess host;
  Members members(on(host), 2);
  REQUIRE(members.connect_all(1, {0, 1}));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  host.socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
  for (std::string const bytes : {"", "g", "nonsense that is no frame"}) {
    int const fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::connect(fd, reinterpret_cast<sockaddr*>(&address),
                      sizeof address) == 0);
    CHECK(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          ssize_t(bytes.size()));
    ::close(fd);
  }
  CHECK(members.check_sum(1, {0, 1}, comm::Element::float32, some, 1) == "");
  REQUIRE(members.connect_all(2, {1, 0}));
}

TEST_CASE("without a comm host the plane says what is missing") {
  auto const plane = comm::make_plane("mpi", {0, 2, "127.0.0.1"});
  REQUIRE(!plane);
  CHECK(plane.error().code == Errc::unavailable);
  CHECK(plane.error().message.find("GLEANER_COMM_HOST") != std::string::npos);
}

}  // namespace
}  // namespace gleaner::comm_host

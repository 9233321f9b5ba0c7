// SPDX-License-Identifier: Apache-2.0
/// What the agent does on the coordinator's word, and without it.
#include "runtime/agent/agent.hh"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "proto/secret_handshake.hh"
#include "runtime/os/cpu_list.hh"
#include "test/unit/catch.hh"

namespace gleaner::agent {
namespace {

/// No other word of the environment, where make lists tests.
constexpr char rig_secret[] = "hush-4711";

/// A coordinator in this process, the agent in a child.
struct Rig {
  asio::io_context io;
  std::unique_ptr<proto::Listener> listener;
  std::shared_ptr<proto::Channel> agent;
  std::vector<msg::FromAgent> heard;
  std::optional<std::string> refused;
  pid_t pid = -1;

  explicit Rig(std::string const& agents_secret = rig_secret, bool binds = true,
               int part_cpus = 0) {
    auto made = proto::Listener::tcp(io, "127.0.0.1:0", [&](auto channel) {
      proto::secret_server(channel, rig_secret, 5, {}, [&, channel](auto role) {
        if (!role) {
          refused = role.error().message;
          return;
        }
        agent = channel;
        agent->on_message([&](auto const& json) {
          auto message = msg::parse_from_agent(json);
          REQUIRE(message);
          heard.push_back(*message);
        });
      });
    });
    REQUIRE(made);
    listener = std::move(*made);
    auto const address = "127.0.0.1:" + std::to_string(listener->port());
    pid = ::fork();
    if (pid == 0) {
      AgentOptions options{address, agents_secret, "n1",     12,
                           "0,1",   binds,         part_cpus};
      ::_exit(Agent(options).run());
    }
  }
  ~Rig() {
    if (agent) agent->close();
    if (pid > 0) ::kill(pid, SIGKILL), ::waitpid(pid, nullptr, 0);
  }

  /// Did the condition come true within 10 s?
  template <class Condition>
  bool run_until(Condition condition) {
    auto const end =
        std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (;;) {
      if (condition()) return true;
      if (std::chrono::steady_clock::now() > end) return false;
      io.run_one_for(std::chrono::milliseconds(20));
    }
  }

  template <class Message>
  Message const* find() const {
    for (auto const& message : heard)
      if (auto const* found = std::get_if<Message>(&message)) return found;
    return nullptr;
  }

  void start(std::string script, std::vector<msg::MemberId> members,
             std::vector<std::string> env = {}) {
    msg::StartMembers order;
    order.members = std::move(members);
    order.argv = {"/bin/sh", "-c", std::move(script)};
    order.env = std::move(env);
    order.env.push_back("COLOUR=blue");
    order.cwd = "/";
    order.heartbeat_s = 0.1;
    order.failure_timeout_s = 30;
    agent->send(to_json(msg::ToAgent(order)));
  }

  /// The agent's exit status, -1 when it does not end within 10 s.
  int exit_status() {
    int status = 0;
    if (!run_until([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }))
      return -1;
    pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
};

TEST_CASE("the agent says what its node has") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.find<msg::AgentHello>(); }));
  auto const* hello = rig.find<msg::AgentHello>();
  CHECK(hello->node == "n1");
  CHECK(hello->lease_job == 12);
  CHECK(hello->gpus == 2);
  CHECK(hello->cpus >= 1);
}

TEST_CASE("members get their number, node, GPU and what the job wants") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  rig.start(
      "[ $GLEANER_NODE = n1 ] && [ $COLOUR = blue ] && "
      "[ $NCCL_RUNTIME_CONNECT = 0 ] && "
      "exit $((10 * GLEANER_MEMBER + CUDA_VISIBLE_DEVICES))",
      {4, 5});
  auto const exits = [&] {
    std::vector<int> codes;
    for (auto const& message : rig.heard)
      if (auto const* exited = std::get_if<msg::MemberExited>(&message))
        codes.push_back(exited->code);
    std::sort(codes.begin(), codes.end());
    return codes;
  };
  REQUIRE(rig.run_until([&] { return exits().size() == 2; }));
  CHECK(exits() == std::vector<int>{40, 51});
}

TEST_CASE("members get the secret by a descriptor, and by nothing else") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  // Twice: a member that is started again gets it again.
  for (msg::MemberId const member : {1u, 2u}) {
    rig.heard.clear();
    rig.start(
        "! env | grep -v SECRET_FD | grep -q hush-4711 && "
        "[ \"$(cat /proc/self/fd/$GLEANER_SECRET_FD)\" = hush-4711 ] && "
        "[ $(ls /proc/self/fd | wc -l) = 5 ] && exit 0; exit 9",
        {member});
    REQUIRE(rig.run_until([&] { return rig.find<msg::MemberExited>(); }));
    CHECK(rig.find<msg::MemberExited>()->code == 0);
  }
}

TEST_CASE("members use no more threads than a lease of a part has CPUs") {
  // Where Slurm binds nobody, or this machine has one CPU: one thread each.
  Rig rig(rig_secret, true, 1);
  REQUIRE(rig.run_until([&] { return rig.find<msg::AgentHello>(); }));
  CHECK(rig.find<msg::AgentHello>()->cpus == 1);
  rig.start("exit $OMP_NUM_THREADS", {4});
  REQUIRE(rig.run_until([&] { return rig.find<msg::MemberExited>(); }));
  CHECK(rig.find<msg::MemberExited>()->code == 1);
}

/// Where each member is by its own account: the agent's child writes to `out`.
std::string const where_it_runs =
    "echo $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status) "
    "${GLEANER_CPUS:-all} $OMP_NUM_THREADS >\"$OUT.$GLEANER_MEMBER\"; exec "
    "sleep 60";

struct Report {
  std::string bound, cpus, share, threads;
};

/// Start members that report; what the agent says of each, and it itself.
std::map<msg::MemberId, Report> reports(Rig& rig,
                                        std::vector<msg::MemberId> members,
                                        std::vector<std::string> env = {}) {
  std::string directory = "/tmp/gleaner-test-XXXXXX";
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  rig.start("OUT=" + directory + "/member; " + where_it_runs, members, env);
  std::map<msg::MemberId, Report> all;
  auto const complete = [&] {
    std::size_t told = 0;
    for (auto const& message : rig.heard)
      if (auto const* started = std::get_if<msg::MemberStarted>(&message))
        all[started->member].bound = started->bound, ++told;
    if (told < members.size()) return false;
    for (auto member : members) {
      std::ifstream file(directory + "/member." + std::to_string(member));
      auto& report = all[member];
      file >> report.cpus >> report.share >> report.threads;
      if (report.share.empty()) return false;
    }
    return true;
  };
  CHECK(rig.run_until(complete));
  std::filesystem::remove_all(directory);
  return all;
}

TEST_CASE("a member runs where the agent says it does") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  auto const here = os::cpu_mask(os::affinity_of(0));
  auto const started = reports(rig, {1, 2});
  for (auto const& [member, report] : started) {
    INFO("member " << member << ": '" << report.bound << "'");
    // With one hardware thread there is nothing to share.
    bool const shared = Machine::here() && std::bitset<64>(here[0]).count() > 1;
    auto const expected = shared ? "cpus=" + report.cpus : std::string();
    CHECK(report.bound.substr(0, report.bound.find(' ')) == expected);
    CHECK((report.cpus == os::affinity_of(0)) == !shared);
    CHECK(report.share == (shared ? report.cpus : "all"));
    CHECK(report.threads.empty() == !shared);
  }
}

TEST_CASE("a program's own number of threads is kept") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  CHECK(reports(rig, {1}, {"OMP_NUM_THREADS=5"}).at(1).threads == "5");
}

TEST_CASE("GLEANER_BIND=none leaves members where Slurm put the agent") {
  Rig rig(rig_secret, false);
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  auto const started = reports(rig, {1, 2});
  for (auto const& [member, report] : started) {
    CHECK(report.bound == "");
    CHECK(report.cpus == os::affinity_of(0));
  }
}

TEST_CASE("told to exit, the agent ends its members and itself") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  rig.start("trap '' TERM; exec sleep 60", {1});
  REQUIRE(rig.run_until([&] { return rig.find<msg::MemberStarted>(); }));
  auto const member = rig.find<msg::MemberStarted>()->pid;
  rig.agent->send(to_json(msg::ToAgent(msg::AgentExit{})));
  CHECK(rig.exit_status() == 0);
  CHECK(::kill(member, 0) != 0);
}

TEST_CASE("without its coordinator the agent ends its members and itself") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  rig.start("exec sleep 60", {1});
  REQUIRE(rig.run_until([&] { return rig.find<msg::MemberStarted>(); }));
  auto const member = rig.find<msg::MemberStarted>()->pid;
  rig.agent->close();
  CHECK(rig.exit_status() == 1);
  CHECK(::kill(member, 0) != 0);
}

TEST_CASE("when Slurm takes the node, members end before the agent") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  rig.start("trap '' TERM; exec sleep 60", {1});
  REQUIRE(rig.run_until([&] { return rig.find<msg::MemberStarted>(); }));
  auto const member = rig.find<msg::MemberStarted>()->pid;
  ::kill(rig.pid, SIGTERM);
  CHECK(rig.exit_status() == 128 + SIGTERM);
  CHECK(::kill(member, 0) != 0);
}

TEST_CASE("an agent that dies takes its members along") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  rig.start("exec sleep 60", {1});
  REQUIRE(rig.run_until([&] { return rig.find<msg::MemberStarted>(); }));
  auto const member = rig.find<msg::MemberStarted>()->pid;
  ::kill(rig.pid, SIGKILL);
  CHECK(rig.exit_status() == 128 + SIGKILL);
  CHECK(rig.run_until([&] { return ::kill(member, 0) != 0; }));
}

TEST_CASE("a program that cannot be started counts as ended with 127") {
  Rig rig;
  REQUIRE(rig.run_until([&] { return rig.agent != nullptr; }));
  msg::StartMembers order;
  order.members = {1};
  order.argv = {"/no/such/train"};
  order.cwd = "/";
  rig.agent->send(to_json(msg::ToAgent(order)));
  REQUIRE(rig.run_until([&] { return rig.find<msg::MemberExited>(); }));
  CHECK(rig.find<msg::MemberExited>()->code == 127);
}

TEST_CASE("an agent with a wrong secret is refused and ends") {
  Rig rig("guess");
  CHECK(rig.exit_status() == 1);
  CHECK(rig.refused);
}

}  // namespace
}  // namespace gleaner::agent

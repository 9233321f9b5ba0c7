// SPDX-License-Identifier: Apache-2.0
/// What the plugins' sockets accept, and that nothing else changes anything.
#include "daemon/io/plugin_door.hh"

#include <sys/stat.h>
#include <unistd.h>

#include "proto/snapshot_change.hh"
#include "test/unit/catch.hh"
#include "test/unit/daemon/temporary_dir.hh"

namespace gleaner::daemon {
namespace {

using namespace std::chrono_literals;

struct Fixture {
  Fixture() {
    config.run_dir = dir.path();
    auto opened = PluginDoor::open(
        io, config, clock,
        {[this](Snapshot snapshot) {
           ++snapshots;
           last = std::move(snapshot);
         },
         [this](slurm::ScanPacer::Cause) { ++hints; },
         [this](auto const& hello) { scavenger = hello.has_value(); }});
    REQUIRE(opened);
    door = std::move(*opened);
  }

  template <class Done>
  bool run_until(Done done) {
    auto const end = std::chrono::steady_clock::now() + 10s;
    while (!done() && std::chrono::steady_clock::now() < end)
      io.run_one_for(100ms);
    return done();
  }

  std::shared_ptr<proto::Channel> connect() {
    std::shared_ptr<proto::Channel> channel;
    proto::connect_unix(io, config.run_dir + "/gleanerd.sock", 5,
                        [&](auto result) {
                          REQUIRE(result);
                          channel = *result;
                        });
    REQUIRE(run_until([&] { return channel != nullptr; }));
    channel->start(
        [this](nlohmann::json const& json) { heard.push_back(json); },
        [this](Error const&) { cut_off = true; });
    return channel;
  }

  void hint(std::string const& text) {
    asio::local::datagram_protocol::socket socket(io);
    socket.open();
    socket.send_to(asio::buffer(text), config.run_dir + "/hint.sock");
  }

  TemporaryDir dir;
  asio::io_context io;
  SystemClock clock;
  Config config = default_config();
  std::unique_ptr<PluginDoor> door;
  int snapshots = 0, hints = 0;
  Snapshot last;
  bool scavenger = false, cut_off = false;
  std::vector<nlohmann::json> heard;
};

nlohmann::json hello() {
  return msg::to_json(
      msg::FromPlugin(msg::PluginHello{"sched_gleaner", "22.05.8", true}));
}

nlohmann::json holes() { return msg::to_json(msg::FromPlugin(msg::Holes{})); }

TEST_CASE("a scavenger that says hello is asked to look, and listened to") {
  Fixture f;
  auto const plugin = f.connect();
  plugin->send(hello());
  REQUIRE(f.run_until([&] { return !f.heard.empty(); }));
  CHECK(f.heard[0]["type"] == "ScanNow");
  CHECK(f.scavenger);
  plugin->send(holes());
  CHECK(f.run_until([&] { return f.snapshots == 1; }));
}

TEST_CASE("a look at the queue is asked only of a scavenger that can") {
  Fixture f;
  bool const can = GENERATE(true, false);
  auto const plugin = f.connect();
  plugin->send(msg::to_json(
      msg::FromPlugin(msg::PluginHello{"sched_gleaner", "22.05.8", can})));
  REQUIRE(f.run_until([&] { return f.heard.size() == 1; }));
  f.door->look_at_queue();
  f.door->look_again();
  REQUIRE(f.run_until([&] {
    return f.heard.back()["type"] == "ScanNow" && f.heard.size() > 1;
  }));
  CHECK((f.heard[1]["type"] == "LookAtQueue") == can);
  plugin->close();
  REQUIRE(f.run_until([&] { return !f.scavenger; }));
  f.door->look_at_queue();  // nobody is there
}

TEST_CASE("after the first snapshot only changes are told, on one connection") {
  Fixture f;
  Snapshot first;
  first.kinds.emplace_back();
  first.holes = {{"n1", 0, false, {}, 0, 1}, {"n2", 0, false, {}, 0, 1}};
  auto second = first;
  second.time_s = 7;
  second.holes.erase(second.holes.begin());
  auto const change =
      msg::to_json(msg::FromPlugin(proto::make_change(second, first)));
  auto const plugin = f.connect();
  plugin->send(hello());
  plugin->send(msg::to_json(msg::FromPlugin(msg::Holes{first, 0})));
  plugin->send(change);
  REQUIRE(f.run_until([&] { return f.snapshots == 2; }));
  CHECK(f.last == second);
  SECTION("a change of something else ends the connection") {
    plugin->send(change);
    CHECK(f.run_until([&] { return !f.scavenger; }));
  }
  SECTION("another connection begins with a whole one") {
    auto const fresh = f.connect();
    fresh->send(hello());
    fresh->send(change);
    CHECK(f.run_until([&] { return f.scavenger; }));
    CHECK(f.run_until([&] { return !f.scavenger; }));
  }
  CHECK(f.snapshots == 2);
}

TEST_CASE("holes from one that did not say hello are not believed") {
  Fixture f;
  auto const plugin = f.connect();
  plugin->send(holes());
  plugin->send(hello());
  REQUIRE(f.run_until([&] { return f.scavenger; }));
  CHECK(f.snapshots == 0);
}

TEST_CASE("the newest scavenger counts: slurmctld may have restarted") {
  Fixture f;
  auto const old = f.connect();
  old->send(hello());
  REQUIRE(f.run_until([&] { return f.heard.size() == 1; }));
  auto const fresh = f.connect();
  fresh->send(hello());
  REQUIRE(f.run_until([&] { return f.heard.size() == 2; }));
  old->close();
  fresh->send(holes());
  CHECK(f.run_until([&] { return f.snapshots == 1; }));
  CHECK(f.scavenger);
}

TEST_CASE("a scavenger that goes is missed") {
  Fixture f;
  auto const plugin = f.connect();
  plugin->send(hello());
  REQUIRE(f.run_until([&] { return f.scavenger; }));
  plugin->close();
  CHECK(f.run_until([&] { return !f.scavenger; }));
}

TEST_CASE("who sends what cannot be read is cut off, and that is all") {
  Fixture f;
  auto const plugin = f.connect();
  SECTION("an unknown message") { plugin->send({{"type", "Nonsense"}}); }
  SECTION("no type") { plugin->send({{"x", 1}}); }
  SECTION("a field of the wrong type") {
    plugin->send({{"type", "Holes"}, {"snapshot", 7}});
  }
  CHECK(f.run_until([&] { return f.cut_off; }));
  CHECK(f.snapshots == 0);
}

TEST_CASE("bytes that are no frame are cut off") {
  Fixture f;
  asio::local::stream_protocol::socket socket(f.io);
  socket.connect(f.config.run_dir + "/gleanerd.sock");
  asio::write(socket, asio::buffer(std::string("GET / HTTP/1.0\r\n\r\n")));
  char byte = 0;
  bool closed = false;
  socket.async_read_some(asio::buffer(&byte, 1),
                         [&](asio::error_code error, std::size_t) {
                           closed = static_cast<bool>(error);
                         });
  CHECK(f.run_until([&] { return closed; }));
}

TEST_CASE("a hint means look again, anything else nothing") {
  Fixture f;
  f.hint("");
  f.hint("{");
  f.hint(R"({"type":"shutdown"})");
  f.hint(R"({"type":"arrival","job":7})");
  f.hint(R"({"type":"ended","job":7})");
  f.hint(R"({"type":"training","job":0})");
  CHECK(f.run_until([&] { return f.hints == 3; }));
}

TEST_CASE("the sockets are for gleanerd's own user only") {
  Fixture f;
  struct stat info {};
  for (auto name : {"/gleanerd.sock", "/hint.sock"}) {
    INFO(name);
    REQUIRE(::stat((f.config.run_dir + name).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
}

}  // namespace
}  // namespace gleaner::daemon

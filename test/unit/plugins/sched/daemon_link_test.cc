// SPDX-License-Identifier: Apache-2.0
/// The scavenger's connection, with a gleanerd that is there, gone or odd.
#include "plugins/sched/daemon_link.hh"

#include "proto/daemon_messages.hh"
#include "test/unit/catch.hh"
#include "test/unit/plugins/scratch.hh"

namespace gleaner::sched {
using nlohmann::json;

namespace {

/// gleanerd's end: one connection, read and written by hand.
class Gleanerd {
 public:
  explicit Gleanerd(std::string const& path) : listener_(path, SOCK_STREAM) {
    REQUIRE(listen(listener_.fd(), 1) == 0);
  }
  ~Gleanerd() { hang_up(); }
  void accept() {
    fd_ =
        accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    REQUIRE(fd_ >= 0);
  }
  void send(std::string const& bytes) {
    REQUIRE(::send(fd_, bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()));
  }
  /// All whole messages that have come.
  std::vector<json> messages() {
    char buffer[65536];
    for (ssize_t got; (got = recv(fd_, buffer, sizeof buffer, 0)) > 0;)
      reader_.append({buffer, static_cast<std::size_t>(got)});
    std::vector<json> all;
    for (;;) {
      auto next = reader_.next();
      REQUIRE(next);
      if (!*next) return all;
      all.push_back(**next);
    }
  }
  void hang_up() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  plugins::UnixSocket listener_;
  int fd_ = -1;
  proto::FrameReader reader_;
};

json const hello = {{"type", "hello"}};

}  // namespace

TEST_CASE("a link says hello, then what it is given") {
  plugins::Scratch scratch;
  Gleanerd gleanerd(scratch.path("sock"));
  DaemonLink link;
  REQUIRE(link.connect(scratch.path("sock"), hello));
  gleanerd.accept();
  link.send({{"n", 1}});
  CHECK(link.wants_to_write());
  REQUIRE(link.ready());
  CHECK_FALSE(link.wants_to_write());
  CHECK(gleanerd.messages() == std::vector<json>{hello, {{"n", 1}}});
}

TEST_CASE("what gleanerd asks for is told apart, and looks are counted") {
  plugins::Scratch scratch;
  Gleanerd gleanerd(scratch.path("sock"));
  DaemonLink link;
  REQUIRE(link.connect(scratch.path("sock"), hello));
  gleanerd.accept();
  auto const scan =
      proto::encode_frame(msg::to_json(msg::ToPlugin(msg::ScanNow{})));
  gleanerd.send(scan + scan);
  auto asked = link.ready();
  REQUIRE(asked);
  CHECK(asked->scans == 2);
  CHECK_FALSE(asked->queue_look);
  gleanerd.send(
      proto::encode_frame(msg::to_json(msg::ToPlugin(msg::LookAtQueue{}))));
  asked = link.ready();
  REQUIRE(asked);
  CHECK(asked->scans == 0);
  CHECK(asked->queue_look);
}

TEST_CASE("nobody listens: unavailable, and nothing is open") {
  plugins::Scratch scratch;
  DaemonLink link;
  auto const connected = link.connect(scratch.path("sock"), hello);
  REQUIRE_FALSE(connected);
  CHECK(connected.error().code == Errc::unavailable);
  CHECK_FALSE(link.connected());
  CHECK_FALSE(link.connect(std::string(500, 'x'), hello));
}

TEST_CASE("a gleanerd that goes away, or talks nonsense, is let go") {
  plugins::Scratch scratch;
  Gleanerd gleanerd(scratch.path("sock"));
  DaemonLink link;
  REQUIRE(link.connect(scratch.path("sock"), hello));
  gleanerd.accept();
  SECTION("gone") { gleanerd.hang_up(); }
  SECTION("no message") {
    gleanerd.send(proto::encode_frame({{"type", "joke"}}));
  }
  SECTION("no frame") { gleanerd.send(std::string(8, '\xff')); }
  CHECK_FALSE(link.ready());
  CHECK_FALSE(link.connected());
  CHECK(link.ready());  // closed: nothing to do
}

TEST_CASE("a gleanerd that does not read gets the newest when it does") {
  plugins::Scratch scratch;
  Gleanerd gleanerd(scratch.path("sock"));
  DaemonLink link;
  REQUIRE(link.connect(scratch.path("sock"), hello));
  gleanerd.accept();
  std::string const filling(100000, 'x');
  for (int i = 1; i <= 50; ++i) {
    link.send({{"n", i}, {"filling", filling}});
    REQUIRE(link.ready());
  }
  CHECK(link.wants_to_write());
  std::vector<json> all;
  for (int turn = 0; turn < 1000 && link.wants_to_write(); ++turn) {
    for (auto& message : gleanerd.messages()) all.push_back(message);
    REQUIRE(link.ready());
  }
  for (auto& message : gleanerd.messages()) all.push_back(message);
  CHECK(all.size() < 50);
  CHECK(all.front() == hello);
  CHECK(all.back().at("n") == 50);
}

}  // namespace gleaner::sched

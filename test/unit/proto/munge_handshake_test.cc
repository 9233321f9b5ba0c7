// SPDX-License-Identifier: Apache-2.0
/// What the MUNGE handshake promises to both ends, with a munged of our own.
#include "proto/munge_handshake.hh"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>

#include "proto/munge_credential.hh"
#include "proto/secret.hh"
#include "proto/wrapped_secret.hh"
#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

using nlohmann::json;

/// A munged that lives as long as the program.
class Munged {
 public:
  static std::string const& socket() {
    static Munged const munged;
    return munged.socket_;
  }

 private:
  Munged() {
    char base[] = "/tmp/munge_test.XXXXXX";
    REQUIRE(::mkdtemp(base));
    dir_ = base;
    ::chmod(base, 0755);
    std::ofstream(dir_ + "/key") << random_hex(64);
    ::chmod((dir_ + "/key").c_str(), 0600);
    socket_ = dir_ + "/socket";
    start();
    auto const end =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (::access(socket_.c_str(), F_OK) != 0 &&
           std::chrono::steady_clock::now() < end)
      ::usleep(20000);  // between two looks
    INFO("munged is of the package munge");
    REQUIRE(::access(socket_.c_str(), F_OK) == 0);
  }
  ~Munged() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(dir_);
  }

  void start() {
    std::string const words[] = {"munged",
                                 "--foreground",
                                 "--force",
                                 "--key-file=" + dir_ + "/key",
                                 "--socket=" + socket_,
                                 "--pid-file=" + dir_ + "/pid",
                                 "--log-file=" + dir_ + "/log",
                                 "--seed-file=" + dir_ + "/seed"};
    std::vector<char*> argv;
    for (auto const& word : words)
      argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::setenv("PATH", (std::string(std::getenv("PATH")) + ":/usr/sbin").c_str(),
             1);
    posix_spawn_file_actions_t files{};
    ::posix_spawn_file_actions_init(&files);
    for (int const fd : {1, 2})
      ::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
    REQUIRE(::posix_spawnp(&pid_, "munged", &files, nullptr, argv.data(),
                           environ) == 0);
    ::posix_spawn_file_actions_destroy(&files);
  }

  std::string dir_, socket_;
  pid_t pid_ = 0;
};

TEST_CASE("a training's secret goes through srun as this uid's alone") {
  auto const self = static_cast<Uid>(::geteuid());
  auto const line = wrap_secret(Munged::socket(), "known to few");
  REQUIRE(line);
  CHECK(is_wrapped(*line));
  CHECK(line->find_first_of(" \n") == std::string::npos);
  CHECK(line->find("known to few") == std::string::npos);
  auto const secret = unwrap_secret(Munged::socket(), *line);
  REQUIRE(secret);
  CHECK(*secret == "known to few");
  // Once.
  CHECK(unwrap_secret(Munged::socket(), *line).error().code == Errc::denied);
  // Other texts, other readers, and what is no credential.
  for (auto const& other :
       {munge_seal(Munged::socket(), self, "gleaner client a b c"),
        munge_seal(Munged::socket(), self + 1, "gleaner secret x"),
        Result<std::string>("MUNGE:AAAA:")}) {
    REQUIRE(other);
    CHECK_FALSE(unwrap_secret(Munged::socket(), *other));
  }
  CHECK_FALSE(wrap_secret("/no/such/socket", "x"));
}

/// Two ends that speak through somebody in between, who sees every frame and
/// may change it.
struct Between {
  asio::io_context io;
  std::unique_ptr<Listener> here, there;
  std::shared_ptr<Channel> server, client, to_client, to_server;
  std::optional<Result<Uid>> seen;
  std::optional<Result<void>> accepted;
  std::vector<json> from_client, from_server;
  std::deque<std::function<Finish()>> works;
  bool munged_hangs = false;

  Between() {
    here = listen(&to_client);
    there = listen(&server);
    connect(*here, &client);
    connect(*there, &to_server);
    run_until([&] { return server && client && to_client && to_server; });
  }
  ~Between() {
    for (auto const& channel : {server, client, to_client, to_server})
      if (channel) channel->close();
  }

  std::unique_ptr<Listener> listen(std::shared_ptr<Channel>* accepted_as) {
    auto made = Listener::tcp(io, "127.0.0.1:0",
                              [=](auto channel) { *accepted_as = channel; });
    REQUIRE(made);
    return std::move(*made);
  }
  void connect(Listener const& to, std::shared_ptr<Channel>* connected) {
    connect_tcp(io, "127.0.0.1:" + std::to_string(to.port()), 5,
                [=](auto channel) {
                  REQUIRE(channel);
                  *connected = *channel;
                });
  }

  template <class Condition>
  void run_until(Condition condition) {
    auto const end =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < end)
      io.run_one_for(std::chrono::milliseconds(50));
    REQUIRE(condition());
  }

  void serve() {
    auto const elsewhere = [this](std::function<Finish()> work) {
      works.push_back(std::move(work));
      asio::post(io, [this] { do_one(); });
      return true;
    };
    munge_server(server, Munged::socket(), 10, elsewhere, {},
                 [&](auto r) { seen = r; });
  }
  /// What munged is to be asked for, when the event loop comes to it.
  void do_one() {
    if (works.empty() || munged_hangs) return;
    auto const work = std::move(works.front());
    works.pop_front();
    if (auto const finish = work()) finish();
  }
  void approach(std::vector<Uid> trusted, Channel::OnClose on_close = {}) {
    munge_client(client, Munged::socket(), std::move(trusted), 10, wait_here(),
                 std::move(on_close), [&](auto r) { accepted = r; });
  }
  /// Pass frames on until both are in; `change` is of what the client gets.
  void relay(std::function<json(json)> change = nullptr) {
    to_client->start(
        [this](json const& m) {
          from_client.push_back(m);
          to_server->send(m);
        },
        [](Error const&) {});
    to_server->start(
        [this, change](json const& m) {
          from_server.push_back(m);
          to_client->send(change ? change(m) : m);
        },
        [](Error const&) {});
  }
};

Uid self() { return static_cast<Uid>(::geteuid()); }

bool says(Error const& error, char const* text) {
  INFO(error.message);
  return error.message.find(text) != std::string::npos;
}

TEST_CASE("both ends learn who the other is") {
  Between between;
  between.serve();
  between.approach({0, self()});
  between.relay();
  between.run_until([&] { return between.seen && between.accepted; });
  REQUIRE(*between.seen);
  CHECK(**between.seen == self());
  CHECK(*between.accepted);
  // The contributions to the keys are readable for nobody in between.
  for (auto const& frames : {between.from_client, between.from_server})
    for (auto const& frame : frames)
      CHECK(frame.dump().find("gleaner") == std::string::npos);
}

TEST_CASE("a client signs nothing for a uid that gleanerd cannot have") {
  Between between;
  between.serve();
  between.approach({self() + 1});
  between.relay();
  between.run_until([&] { return between.accepted.has_value(); });
  REQUIRE_FALSE(*between.accepted);
  CHECK(says(between.accepted->error(), "answers in place of gleanerd"));
  CHECK(says(between.accepted->error(), "slurm_user"));
  CHECK(between.from_client.empty());
}

TEST_CASE("who names gleanerd's uid, and is not it, cannot open the answer") {
  Between between;
  // It runs with our uid, and says that it is the next one.
  between.serve();
  between.approach({self() + 1});
  between.relay([](json m) {
    if (m.contains("uid")) m["uid"] = self() + 1;
    return m;
  });
  between.run_until([&] { return between.seen && between.accepted; });
  REQUIRE_FALSE(*between.seen);
  CHECK(says(between.seen->error(), "MUNGE cannot verify"));
  CHECK_FALSE(*between.accepted);
  CHECK(between.from_client.size() == 1);
}

TEST_CASE("while munged hangs a client waits, and is forgotten if it leaves") {
  Between between;
  between.munged_hangs = true;
  between.serve();
  between.approach({self()});
  between.relay();
  between.run_until([&] { return !between.works.empty(); });
  CHECK_FALSE(between.seen);
  SECTION("it says no second thing meanwhile") {
    between.to_server->send({{"type", "munge"}, {"credential", "x"}});
    between.run_until([&] { return between.seen.has_value(); });
    CHECK(says(between.seen->error(), "expected a MUNGE credential"));
  }
  SECTION("it leaves") {
    between.to_server->close();
    between.run_until([&] { return between.seen.has_value(); });
    CHECK_FALSE(*between.seen);
  }
  CHECK_FALSE(between.works.front()());  // munged is not even asked
}

TEST_CASE("with too many who wait for munged a client is refused") {
  Between between;
  munge_server(
      between.server, Munged::socket(), 10, [](auto) { return false; }, {},
      [&](auto r) { between.seen = r; });
  between.approach({self()});
  between.relay();
  between.run_until([&] { return between.seen.has_value(); });
  REQUIRE_FALSE(*between.seen);
  CHECK(says(between.seen->error(), "too many wait for MUNGE"));
}

TEST_CASE("a client signs no text that a stranger chose") {
  auto const* const nonce = GENERATE(
      "", "00", "not hex, and 32 characters long.",
      "0123456789ABCDEF0123456789ABCDEF", "00112233445566778899aabbccddeeff00");
  Between between;
  between.serve();
  between.approach({self()});
  between.relay([&](json m) {
    if (m.contains("nonce")) m["nonce"] = nonce;
    return m;
  });
  between.run_until([&] { return between.accepted.has_value(); });
  CHECK_FALSE(*between.accepted);
  CHECK(between.from_client.empty());
}

TEST_CASE("an answer to another challenge opens nothing") {
  Between between;
  between.serve();
  between.approach({self()});
  between.relay([](json m) {
    if (m.contains("nonce")) m["nonce"] = random_hex(16);
    return m;
  });
  between.run_until([&] { return between.seen && between.accepted; });
  REQUIRE_FALSE(*between.seen);
  CHECK(says(between.seen->error(), "another connection"));
}

TEST_CASE("acceptance without gleanerd's signature is none") {
  auto const change = GENERATE(
      as<std::function<json(json)>>{},
      [](json) {
        return json{{"type", "accepted"}};
      },
      [](json m) {
        m["credential"] = "MUNGE:AAAA:";
        return m;
      });
  Between between;
  between.serve();
  between.approach({self()});
  between.relay(
      [&](json m) { return m["type"] == "accepted" ? change(m) : m; });
  between.run_until([&] { return between.accepted.has_value(); });
  CHECK_FALSE(*between.accepted);
}

TEST_CASE("a credential of the client's own is not gleanerd's") {
  Between between;
  between.serve();
  between.approach({self()});
  between.relay([&](json m) {
    if (m["type"] == "accepted")
      m["credential"] = between.from_client.at(0).at("credential");
    return m;
  });
  between.run_until([&] { return between.accepted.has_value(); });
  CHECK_FALSE(*between.accepted);
}

TEST_CASE("who passes the handshake on can say nothing of his own") {
  Between between;
  std::optional<Error> closed;
  between.serve();
  between.approach({self()}, [&](Error const& error) { closed = error; });
  between.relay();
  between.run_until([&] { return between.seen && between.accepted; });
  REQUIRE(*between.accepted);
  bool heard = false;
  between.client->on_message([&](json const&) { heard = true; });
  // In between there is a channel that has no keys; it appends a seal's worth.
  between.to_client->send(
      {{"type", "Registered"}, {"padding", std::string(100, 'x')}});
  between.to_client->send({{"type", "x"}, {"padding", std::string(100, 'x')}});
  between.run_until([&] { return closed.has_value(); });
  CHECK(closed->code == Errc::denied);
  CHECK(says(*closed, "seal is wrong"));
  CHECK_FALSE(heard);
}

TEST_CASE("a false seal, a repeated and a missing frame end a connection") {
  enum class Attack { none, repeat, leave_out, reorder };
  auto const attack = GENERATE(Attack::none, Attack::repeat, Attack::leave_out,
                               Attack::reorder);
  FrameSeal ours("key");
  std::vector<std::string> frames;
  for (int n = 0; n < 3; ++n) {
    auto frame = encode_frame({{"n", n}});
    frame += ours.next(std::string_view(frame).substr(frame_header_bytes));
    frames.push_back(frame);
  }
  if (attack == Attack::repeat) frames[1] = frames[0];
  if (attack == Attack::leave_out) frames.erase(frames.begin() + 1);
  if (attack == Attack::reorder) std::swap(frames[1], frames[2]);

  FrameReader reader;
  FrameSeal theirs("key");
  reader.expect_seals(seal_bytes, [&](auto text, auto seal) {
    return theirs.next(text) == seal;
  });
  for (auto const& frame : frames) reader.append(frame);
  std::size_t read = 0;
  auto next = reader.next();
  for (; next && *next; next = reader.next()) ++read;
  CHECK(read == (attack == Attack::none ? 3 : 1));
  CHECK(bool(next) == (attack == Attack::none));
}

TEST_CASE("before the handshake is done, frames are small") {
  Between between;
  between.serve();
  between.to_server->start([](json const&) {}, [](Error const&) {});
  between.to_server->send(
      {{"type", "munge"}, {"credential", std::string(5000, 'x')}});
  between.run_until([&] { return between.seen.has_value(); });
  REQUIRE_FALSE(*between.seen);
  CHECK(says(between.seen->error(), "at most 4096"));
}

}  // namespace
}  // namespace gleaner::proto

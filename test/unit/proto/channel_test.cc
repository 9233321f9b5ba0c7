// SPDX-License-Identifier: Apache-2.0
/// What a channel promises to the two programs at its ends.
#include "proto/channel.hh"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <vector>

#include "proto/handshake.hh"
#include "proto/secret.hh"
#include "proto/secret_handshake.hh"
#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

using nlohmann::json;

/// A listener and one connection to it, both sides in one event loop.
struct Pair {
  asio::io_context io;
  std::unique_ptr<Listener> listener;
  std::shared_ptr<Channel> server, client;

  Pair() {
    auto made = Listener::tcp(io, "127.0.0.1:0",
                              [&](auto channel) { server = channel; });
    REQUIRE(made);
    listener = std::move(*made);
    connect_tcp(io, "127.0.0.1:" + std::to_string(listener->port()), 5,
                [&](auto channel) {
                  REQUIRE(channel);
                  client = *channel;
                });
    run_until([&] { return server && client; });
  }
  ~Pair() {
    if (server) server->close();
    if (client) client->close();
  }

  template <class Condition>
  void run_until(Condition condition) {
    auto const end =
        std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition() && std::chrono::steady_clock::now() < end)
      io.run_one_for(std::chrono::milliseconds(100));
    REQUIRE(condition());
  }
};

TEST_CASE("messages arrive whole and in order") {
  Pair pair;
  int next = 0;
  pair.server->start(
      [&](json const& message) { CHECK(message.at("n") == next++); }, {});
  for (int n = 0; n < 100; ++n)
    pair.client->send({{"n", n}, {"text", std::string(10000, 'x')}});
  pair.run_until([&] { return next == 100; });
}

TEST_CASE("what was sent before close still arrives, then the close") {
  Pair pair;
  int seen = 0;
  std::optional<Error> closed;
  pair.server->start([&](json const&) { ++seen; },
                     [&](Error const& error) { closed = error; });
  pair.client->send({{"text", std::string(5 << 20, 'x')}});
  pair.client->send({{"type", "bye"}});
  pair.client->close();
  pair.run_until([&] { return closed.has_value(); });
  CHECK(seen == 2);
  CHECK(closed->message == "closed by the peer");
}

TEST_CASE("a malformed frame closes the channel and says why") {
  Pair pair;
  std::optional<Error> closed;
  pair.server->start([](json const&) { FAIL(); },
                     [&](Error const& error) { closed = error; });
  asio::ip::tcp::socket raw(pair.io);
  // The client's own socket is hidden in its channel; a second one garbles.
  std::shared_ptr<Channel> garbled;
  garbled.swap(pair.server);
  raw.connect({asio::ip::make_address("127.0.0.1"),
               static_cast<unsigned short>(pair.listener->port())});
  pair.run_until([&] { return pair.server != nullptr; });
  pair.server->start([](json const&) { FAIL(); },
                     [&](Error const& error) { closed = error; });
  asio::write(raw, asio::buffer("GET / HTTP/1.0\r\n\r\n", 18));
  pair.run_until([&] { return closed.has_value(); });
  CHECK(closed->code == Errc::invalid_argument);
  CHECK(pair.server->closed());
  garbled->close();
}

TEST_CASE("silence longer than the limit closes the channel") {
  Pair pair;
  std::optional<Error> closed;
  pair.server->start([](json const&) {},
                     [&](Error const& error) { closed = error; });
  pair.server->set_silence_limit(0.05);
  pair.run_until([&] { return closed.has_value(); });
  CHECK(closed->code == Errc::timed_out);
}

TEST_CASE("a UNIX socket is its owner's alone and names the peer's uid") {
  char dir[] = "/tmp/channel_test.XXXXXX";
  REQUIRE(::mkdtemp(dir));
  auto const path = std::string(dir) + "/s";
  {
    asio::io_context io;
    std::shared_ptr<Channel> server, client;
    auto listener =
        Listener::unix_socket(io, path, [&](auto c) { server = c; });
    REQUIRE(listener);
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    connect_unix(io, path, 5, [&](auto c) { client = *c; });
    while (!server || !client) io.run_one_for(std::chrono::seconds(1));
    CHECK(server->peer_uid() == static_cast<int>(::getuid()));
    server->close(), client->close();
  }
  CHECK(::access(path.c_str(), F_OK) != 0);
  ::rmdir(dir);
}

TEST_CASE("connecting fails with the address and the reason") {
  asio::io_context io;
  auto const* const address =
      GENERATE("127.0.0.1:1", "127.0.0.1", ":80", "host:", "no-such-host.:1");
  std::optional<Error> error;
  connect_tcp(io, address, 2, [&](auto channel) { error = channel.error(); });
  io.run_for(std::chrono::seconds(5));
  REQUIRE(error);
  CHECK(error->message.find(address) != std::string::npos);
}

TEST_CASE("the right secret opens both ways") {
  Pair pair;
  std::optional<Result<PeerRole>> seen;
  std::optional<Result<void>> accepted;
  secret_server(pair.server, "secret", 5, {}, [&](auto r) { seen = r; });
  secret_client(pair.client, "secret", {"member", "7"}, 5, {},
                [&](auto r) { accepted = r; });
  pair.run_until([&] { return seen && accepted; });
  REQUIRE(*seen);
  CHECK((*seen)->role == "member");
  CHECK((*seen)->id == "7");
  CHECK(*accepted);
}

TEST_CASE("a released channel is a plain socket, after its messages") {
  Pair pair;
  Result<Channel::Released> released = Error{Errc::unavailable, "not yet"};
  pair.server->start([&](json const&) { released = pair.server->release(); },
                     {});
  pair.client->send({{"type", "request"}});
  pair.run_until([&] { return bool(released); });
  int const fd = released->fd;
  CHECK(pair.server->closed());
  auto const want = encode_frame({{"type", "bulk"}});
  pair.client->send({{"type", "bulk"}});
  std::string got(want.size(), '\0');
  CHECK(recv(fd, got.data(), got.size(), MSG_WAITALL) == ssize_t(got.size()));
  CHECK(got == want);
  close(fd);
}

TEST_CASE("a wrong secret is refused and the channel closed") {
  Pair pair;
  std::optional<Result<PeerRole>> seen;
  std::optional<Result<void>> accepted;
  secret_server(pair.server, "secret", 5, {}, [&](auto r) { seen = r; });
  secret_client(pair.client, "guess", {"member", "7"}, 5, {},
                [&](auto r) { accepted = r; });
  pair.run_until([&] { return seen && accepted; });
  CHECK(seen->error().message.find("wrong secret") != std::string::npos);
  CHECK_FALSE(*accepted);
  CHECK(pair.server->closed());
}

/// Sits between a client and a server of one training: passes on what it hears,
/// as bytes or changed.
struct Between {
  Pair near, far;  ///< client to us, us to the server
  std::optional<Result<PeerRole>> seen;
  std::optional<Result<void>> accepted;
  std::optional<Error> server_closed, client_closed;
  std::vector<json> server_heard, client_heard;

  void shake_hands() {
    secret_server(
        far.server, "secret", 5,
        [this](Error const& error) { server_closed = error; },
        [this](auto r) {
          seen = r;
          far.server->on_message(
              [this](json const& m) { server_heard.push_back(m); });
        });
    secret_client(
        near.client, "secret", {"member", "7"}, 5,
        [this](Error const& error) { client_closed = error; },
        [this](auto r) {
          accepted = r;
          near.client->on_message(
              [this](json const& m) { client_heard.push_back(m); });
        });
    near.server->start([this](json const& m) { far.client->send(m); },
                       [](Error const&) {});
    far.client->start([this](json const& m) { near.server->send(m); },
                      [](Error const&) {});
    run_until([this] { return seen && accepted; });
    REQUIRE(*seen);
    REQUIRE(*accepted);
  }

  template <class Condition>
  void run_until(Condition condition) {
    auto const end =
        std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition() && std::chrono::steady_clock::now() < end) {
      near.io.run_one_for(std::chrono::milliseconds(10));
      far.io.run_one_for(std::chrono::milliseconds(10));
    }
    REQUIRE(condition());
  }
};

TEST_CASE("who passes a training's handshake on can say nothing of his own") {
  Between between;
  between.shake_hands();
  // The one in between has no keys; what it says ends in a seal's worth of x.
  json const said = {{"type", "Finish"}, {"padding", std::string(100, 'x')}};
  SECTION("to the server") {
    between.far.client->send(said);
    between.far.client->send(said);
    between.run_until([&] { return between.server_closed.has_value(); });
    CHECK(between.server_closed->code == Errc::denied);
  }
  SECTION("to the client") {
    between.near.server->send(said);
    between.near.server->send(said);
    between.run_until([&] { return between.client_closed.has_value(); });
    CHECK(between.client_closed->code == Errc::denied);
  }
  CHECK(between.server_heard.empty());
  CHECK(between.client_heard.empty());
}

/// What a channel with these keys sends, frame by frame.
std::vector<std::string> sealed_frames(std::string const& key, int frames) {
  FrameSeal seal(key);
  std::vector<std::string> sent;
  for (int n = 0; n < frames; ++n) {
    auto const text = json_text({{"n", n}});
    sent.push_back(frame_of(text) + seal.next(text));
  }
  return sent;
}

TEST_CASE("a changed, repeated or left out frame of a training closes it") {
  auto const* const attack =
      GENERATE("none", "change", "repeat", "leave out", "turn back");
  CAPTURE(attack);
  std::string const what = attack;
  Pair pair;
  std::vector<int> heard;
  std::optional<Error> closed;
  pair.server->seal({"of the server", "of the client"});
  pair.server->start([&](json const& m) { heard.push_back(m.at("n")); },
                     [&](Error const& error) { closed = error; });
  auto frames = sealed_frames("of the client", 3);
  if (what == "change") frames[1][frame_header_bytes + 5] = '7';
  if (what == "repeat") frames[1] = frames[0];
  if (what == "leave out") frames.erase(frames.begin() + 1);
  if (what == "turn back")  // a frame of the other direction
    frames[1] = sealed_frames("of the server", 2)[1];
  auto released = pair.client->release();
  REQUIRE(released);
  std::string bytes;
  for (auto const& frame : frames) bytes += frame;
  REQUIRE(::send(released->fd, bytes.data(), bytes.size(), 0) ==
          ssize_t(bytes.size()));
  bool const whole = what == "none";
  pair.run_until(
      [&] { return whole ? heard.size() == 3 : closed.has_value(); });
  ::close(released->fd);
  CHECK(heard == (whole ? std::vector{0, 1, 2} : std::vector{0}));
  if (!whole) CHECK(closed->code == Errc::denied);
}

TEST_CASE("a nonce that is not one of 16 bytes is refused") {
  auto const* const nonce =
      GENERATE("", "00", "0123456789abcdef0123456789abcdef:member",
               "0123456789ABCDEF0123456789ABCDEF");
  Pair pair;
  std::optional<Result<void>> accepted;
  std::optional<Result<PeerRole>> seen;
  SECTION("by the client, which proves nothing for it") {
    int answers = 0;
    secret_client(pair.client, "secret", {"member", "7"}, 5, {},
                  [&](auto r) { accepted = r; });
    pair.server->start([&](json const&) { ++answers; }, [](Error const&) {});
    pair.server->send({{"type", "challenge"},
                       {"version", training_protocol_version},
                       {"nonce", nonce}});
    pair.run_until([&] { return accepted.has_value(); });
    CHECK_FALSE(*accepted);
    CHECK(answers == 0);
  }
  SECTION("by the server") {
    secret_server(pair.server, "secret", 5, {}, [&](auto r) { seen = r; });
    pair.client->start([](json const&) {}, [](Error const&) {});
    pair.client->send({{"type", "answer"},
                       {"role", "member"},
                       {"id", "7"},
                       {"nonce", nonce},
                       {"hmac", "00"}});
    pair.run_until([&] { return seen.has_value(); });
    REQUIRE_FALSE(*seen);
    CHECK(seen->error().message.find("nonce") != std::string::npos);
  }
}

TEST_CASE("a peer of an earlier version is refused by name") {
  Pair pair;
  std::optional<Result<void>> accepted;
  secret_client(pair.client, "secret", {"member", "7"}, 5, {},
                [&](auto r) { accepted = r; });
  pair.server->start([](json const&) {}, [](Error const&) {});
  pair.server->send({{"type", "challenge"},
                     {"version", training_protocol_version - 1},
                     {"nonce", random_hex(16)}});
  pair.run_until([&] { return accepted.has_value(); });
  REQUIRE_FALSE(*accepted);
  auto const named =
      "protocol version " + std::to_string(training_protocol_version - 1);
  CHECK(accepted->error().message.find(named) != std::string::npos);
}

TEST_CASE("a peer that never answers the handshake is given up in time") {
  Pair pair;
  std::optional<Result<PeerRole>> seen;
  secret_server(pair.server, "secret", 0.05, {}, [&](auto r) { seen = r; });
  pair.run_until([&] { return seen.has_value(); });
  CHECK(seen->error().code == Errc::timed_out);
}

}  // namespace
}  // namespace gleaner::proto

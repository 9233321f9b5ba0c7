// SPDX-License-Identifier: Apache-2.0
/// How strangers are kept from taking the place of a training's processes.
#include "proto/secret_door.hh"

#include <chrono>
#include <optional>
#include <vector>

#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

/// A door with room for four strangers, and who connects to it.
struct Rig {
  asio::io_context io;
  std::vector<std::string> refusals;
  std::vector<std::string> inside;
  SecretDoor door;
  std::unique_ptr<Listener> listener;
  std::string address;

  explicit Rig(double handshake_s = 5)
      : door("secret", {handshake_s, 4}, [this](auto const&, Error const& why) {
          refusals.push_back(why.message);
        }) {
    auto made = Listener::tcp(io, "127.0.0.1:0", [this](auto channel) {
      door.knock(channel, nullptr, [this, channel](PeerRole const& role) {
        inside.push_back(role.role + ' ' + role.id);
      });
    });
    REQUIRE(made);
    listener = std::move(*made);
    address = "127.0.0.1:" + std::to_string(listener->port());
  }

  /// Somebody who connects and says nothing.
  std::unique_ptr<asio::ip::tcp::socket> silent() {
    auto socket = std::make_unique<asio::ip::tcp::socket>(io);
    socket->connect({asio::ip::make_address("127.0.0.1"),
                     asio::ip::port_type(listener->port())});
    return socket;
  }

  /// Did the condition come true within 10 s?
  template <class Condition>
  bool run_until(Condition condition) {
    auto const end =
        std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition() && std::chrono::steady_clock::now() < end)
      io.run_one_for(std::chrono::milliseconds(20));
    return condition();
  }
};

using Connected = std::optional<Result<std::shared_ptr<Channel>>>;

TEST_CASE("of those who say nothing the oldest gives way") {
  Rig rig;
  std::vector<std::unique_ptr<asio::ip::tcp::socket>> flood;
  for (int i = 0; i < 4; ++i) {
    flood.push_back(rig.silent());
    REQUIRE(rig.run_until(
        [&] { return rig.door.strangers() == std::size_t(i + 1); }));
  }
  CHECK(rig.refusals.empty());
  flood.push_back(rig.silent());
  REQUIRE(rig.run_until([&] { return rig.refusals.size() == 1; }));
  CHECK(rig.refusals[0].find("have not proved the secret") !=
        std::string::npos);
  CHECK(rig.door.strangers() == 4);
}

TEST_CASE("a member comes in while others flood the door") {
  Rig rig;
  std::vector<std::unique_ptr<asio::ip::tcp::socket>> flood;
  Connected member;
  for (int i = 0; i < 4; ++i) flood.push_back(rig.silent());
  secret_connect(rig.io, rig.address, "secret", {"member", "7"}, 5, nullptr,
                 [&](auto channel) { member = channel; });
  CHECK(rig.run_until([&] {
    flood.push_back(rig.silent());
    return member.has_value();
  }));
  REQUIRE(member);
  CHECK(*member);
  CHECK(rig.inside == std::vector<std::string>{"member 7"});
  CHECK(rig.door.strangers() <= 4);
}

TEST_CASE("a member that gave way to others tries again") {
  Rig rig;
  // The listener of this test closes the first two connections.
  int came = 0;
  auto listener = Listener::tcp(rig.io, "127.0.0.1:0", [&](auto channel) {
    if (++came <= 2) return channel->close();
    rig.door.knock(channel, nullptr, [&, channel](PeerRole const& role) {
      rig.inside.push_back(role.id);
    });
  });
  REQUIRE(listener);
  Connected member;
  secret_connect(rig.io, "127.0.0.1:" + std::to_string((*listener)->port()),
                 "secret", {"member", "7"}, 5, nullptr,
                 [&](auto channel) { member = channel; });
  REQUIRE(rig.run_until([&] { return member.has_value(); }));
  CHECK(*member);
  CHECK(came == 3);
}

TEST_CASE("who has another secret is told, and does not try again") {
  Rig rig;
  Connected member;
  auto const began = std::chrono::steady_clock::now();
  secret_connect(rig.io, rig.address, "guess", {"member", "7"}, 5, nullptr,
                 [&](auto channel) { member = channel; });
  REQUIRE(rig.run_until([&] { return member.has_value(); }));
  REQUIRE_FALSE(*member);
  CHECK(member->error().code == Errc::denied);
  CHECK(member->error().message.find("wrong secret") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(4));
  CHECK(rig.refusals.size() == 1);
  CHECK(rig.inside.empty());
}

TEST_CASE("a handshake has a time limit at this door") {
  Rig rig(0.05);
  auto const silent = rig.silent();
  REQUIRE(rig.run_until([&] { return rig.refusals.size() == 1; }));
  CHECK(rig.refusals[0].find("no handshake in time") != std::string::npos);
  CHECK(rig.door.strangers() == 0);
}

TEST_CASE("where nobody listens there is no second attempt") {
  Rig rig;
  rig.listener.reset();
  Connected member;
  auto const began = std::chrono::steady_clock::now();
  secret_connect(rig.io, rig.address, "secret", {"member", "7"}, 5, nullptr,
                 [&](auto channel) { member = channel; });
  REQUIRE(rig.run_until([&] { return member.has_value(); }));
  CHECK(member->error().code == Errc::unavailable);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(4));
}

}  // namespace
}  // namespace gleaner::proto

// SPDX-License-Identifier: Apache-2.0
/// Where the coordinator listens, given what nodes are told to call.
#include "runtime/coordinator/listening.hh"

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

/// "10.0.0.7 ::1" of what is tried in this order; "everywhere".
std::string plan_for(std::vector<char const*> resolved, bool chosen) {
  std::vector<asio::ip::address> addresses;
  for (auto const* text : resolved)
    addresses.push_back(asio::ip::make_address(text));
  auto const plan = listening_plan(addresses, chosen);
  if (plan.everywhere) return "everywhere";
  std::string text;
  for (auto const& address : plan.addresses)
    text += (text.empty() ? "" : " ") + address.to_string();
  return text;
}

TEST_CASE("the coordinator listens where its nodes call, and nowhere else") {
  struct Case {
    std::vector<char const*> resolved;
    bool chosen;
    std::string plan;
  };
  for (auto const& [resolved, chosen, plan] : {
           Case{{"10.0.0.7"}, false, "10.0.0.7"},
           Case{{"10.0.0.7", "10.1.0.7"}, false, "10.0.0.7 10.1.0.7"},
           // What other hosts reach comes first.
           Case{{"127.0.1.1", "10.0.0.7"}, false, "10.0.0.7 127.0.1.1"},
           Case{{"fe80::1", "fd00::7", "::1"}, false, "fd00::7 fe80::1 ::1"},
           // A name that is loopback here is something else on other nodes.
           Case{{"127.0.1.1"}, false, "everywhere"},
           Case{{"::1", "127.0.0.1"}, false, "everywhere"},
           // Somebody who says loopback means it.
           Case{{"127.0.0.1"}, true, "127.0.0.1"},
           Case{{"::1", "127.0.0.1"}, true, "::1 127.0.0.1"},
           Case{{}, false, ""},
       }) {
    INFO(plan);
    CHECK(plan_for(resolved, chosen) == plan);
  }
}

TEST_CASE("an address of another host is refused with what to do") {
  asio::io_context io;
  struct Case {
    ListeningWish wish;
    std::string why;
  };
  for (auto const& [wish, why] : {
           // Addresses and a name that exist for documentation only.
           Case{{"192.0.2.1", "", true}, "192.0.2.1:0 (this host has no such"},
           Case{{"192.0.2.1", "", false}, "192.0.2.1:0 (this host has no such"},
           Case{{"127.0.0.1", "192.0.2.1", true}, "192.0.2.1:0 (this host has"},
           Case{{"127.0.0.1", "no.such.host.invalid", true},
                "cannot listen on 'no.such.host.invalid'"},
       }) {
    auto const listener = listen_where_nodes_call(io, wish, [](auto) {});
    REQUIRE_FALSE(listener);
    INFO(listener.error().message);
    CHECK(listener.error().message.find(why) != std::string::npos);
    CHECK(listener.error().message.find("[--address") != std::string::npos);
  }
  CHECK(listen_where_nodes_call(io, {"192.0.2.1", "127.0.0.1", true},
                                [](auto) {}));
}

TEST_CASE("an IPv6 address has brackets before its port") {
  CHECK(host_and_port("head", 80) == "head:80");
  CHECK(host_and_port("10.0.0.7", 80) == "10.0.0.7:80");
  CHECK(host_and_port("fd00::7", 80) == "[fd00::7]:80");
  CHECK(host_and_port("[fd00::7]", 80) == "[fd00::7]:80");
}

}  // namespace
}  // namespace gleaner::coordinator

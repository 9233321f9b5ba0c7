// SPDX-License-Identifier: Apache-2.0
/// How state gets from donors to joiners, and what ends a transfer.
#include "runtime/data_service.hh"

#include <catch2/catch.hpp>
#include <future>
#include <thread>

#include "runtime/state_moves.hh"

using namespace gleaner;

namespace {

/// A member that can serve and fetch state.
struct Peer {
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work{
      io.get_executor()};
  DataService data;
  msg::MemberAddress address;
  std::vector<char> state;
  Registry registry;
  std::thread loop;

  Peer(msg::MemberId id, std::size_t bytes, std::string secret = "secret")
      : data(io, secret, id), state(bytes) {
    address.member = id;
    auto listening = data.listen(
        "127.0.0.1", [this](msg::PullReduction const&, auto connection) {
          serve_reduction(connection, registry.stripe(0, 1));
        });
    REQUIRE(listening);
    address.data_address = *listening;
    REQUIRE(registry.add(Tensor{"state",
                                state.data(),
                                Dtype::uint8,
                                {std::int64_t(bytes)},
                                Role::buffer}));
    loop = std::thread([this] { io.run(); });
  }
  ~Peer() {
    asio::post(io, [this] { data.close(); });
    work.reset();
    io.stop();
    loop.join();
  }
  std::string schema() const { return registry.schema(""); }
};

session::ServeState serve(std::uint32_t stripe, std::uint32_t stripes,
                          std::vector<msg::MemberId> joiners) {
  return {7, 12, std::move(joiners), stripe, stripes, "step 12"};
}

}  // namespace

TEST_CASE("joiners get the state in stripes, whoever comes first") {
  for (int donors : {1, 2, 3}) {
    std::vector<std::unique_ptr<Peer>> givers, takers;
    session::FetchState fetch{7, {}};
    for (int i = 0; i < donors; ++i) {
      givers.push_back(std::make_unique<Peer>(i, 3'000'001));
      for (std::size_t k = 0; k < givers[i]->state.size(); ++k)
        givers[i]->state[k] = char(k * 7 / 5);
      fetch.donors.push_back(givers[i]->address);
    }
    for (int i = 0; i < 2; ++i)
      takers.push_back(std::make_unique<Peer>(10 + i, 3'000'001));

    std::vector<std::future<void>> serving;
    std::vector<std::future<Result<StateHeader>>> taking;
    for (auto& taker : takers)
      taking.push_back(std::async(std::launch::async, [&, t = taker.get()] {
        return fetch_state(t->data, t->data.permit(7), fetch, t->address.member,
                           t->registry, t->schema());
      }));
    for (int i = 0; i < donors; ++i)
      serving.push_back(std::async(std::launch::async, [&, i] {
        auto& giver = *givers[i];
        CHECK(serve_state(giver.data, giver.data.permit(7),
                          serve(i, donors, {10, 11}), giver.registry,
                          giver.schema()));
      }));
    for (auto& s : serving) s.get();
    for (auto& t : taking) {
      auto header = t.get();
      REQUIRE(header);
      CHECK(header->session == "step 12");
    }
    for (auto& taker : takers) CHECK(taker->state == givers[0]->state);
  }
}

TEST_CASE("a donor that waits for a joiner is freed by abort") {
  Peer donor(1, 100);
  auto const permit = donor.data.permit(7);
  auto serving = std::async(std::launch::async, [&] {
    return serve_state(donor.data, permit, serve(0, 1, {2}), donor.registry,
                       donor.schema());
  });
  donor.data.abort(7);
  CHECK(serving.wait_for(std::chrono::seconds(5)) == std::future_status::ready);
}

TEST_CASE("a joiner that waits for the switch is freed by abort") {
  Peer donor(1, 100), joiner(2, 100);
  auto const permit = joiner.data.permit(7);
  auto taking = std::async(std::launch::async, [&] {
    return fetch_state(joiner.data, permit, {7, {donor.address}}, 2,
                       joiner.registry, joiner.schema());
  });
  joiner.data.abort_all();
  REQUIRE(taking.wait_for(std::chrono::seconds(5)) ==
          std::future_status::ready);
  CHECK(!taking.get());
  // What was permitted before the abort is void, whenever it begins.
  CHECK(!fetch_state(joiner.data, permit, {7, {donor.address}}, 2,
                     joiner.registry, joiner.schema()));
}

TEST_CASE("a joiner that goes away does not hold up the others") {
  Peer donor(1, 8'000'000), joiner(2, 8'000'000);
  Peer gone(3, 8'000'000);
  auto asked = std::make_unique<Result<DataService::Connection>>(
      gone.data.ask(gone.data.permit(7), donor.address.data_address,
                    msg::PullState{7, 3, 0, 1}, 5));
  REQUIRE(*asked);
  auto taking = std::async(std::launch::async, [&] {
    return bool(fetch_state(joiner.data, joiner.data.permit(7),
                            {7, {donor.address}}, 2, joiner.registry,
                            joiner.schema()));
  });
  auto serving = std::async(std::launch::async, [&] {
    return bool(serve_state(donor.data, donor.data.permit(7),
                            serve(0, 1, {2, 3}), donor.registry,
                            donor.schema()));
  });
  CHECK(taking.get());
  asked.reset();  // in the middle of it
  CHECK(serving.get());
}

TEST_CASE("who does not know the secret gets nothing") {
  Peer donor(1, 100), stranger(2, 100, "guess");
  auto taken =
      fetch_state(stranger.data, stranger.data.permit(7), {7, {donor.address}},
                  2, stranger.registry, stranger.schema());
  REQUIRE(!taken);
  CHECK(taken.error().message.find(donor.address.data_address) !=
        std::string::npos);
}

TEST_CASE("a reduction is fetched whole, or not at all") {
  Peer donor(1, 1'000'000), taker(2, 1);
  std::fill(donor.state.begin(), donor.state.end(), 'r');
  auto const permit = taker.data.permit(7);
  auto whole = fetch_reduction(taker.data, permit, {7, 3, donor.address},
                               donor.state.size());
  REQUIRE(whole);
  CHECK(*whole == donor.state);
  auto other = fetch_reduction(taker.data, permit, {7, 3, donor.address}, 5);
  REQUIRE(!other);
  CHECK(other.error().code == Errc::invalid_argument);
}

TEST_CASE("the interface towards a peer is found without sending") {
  auto own = local_address_towards("127.0.0.1:4");
  REQUIRE(own);
  CHECK(*own == "127.0.0.1");
  CHECK(!local_address_towards("no such host:4"));
}

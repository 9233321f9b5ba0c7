// SPDX-License-Identifier: Apache-2.0
/// How state gets from donors to joiners, and what ends a transfer.
#include "runtime/member/data_service.hh"

#include <future>
#include <thread>

#include "runtime/member/state_moves.hh"
#include "runtime/state/state_portions.hh"
#include "test/unit/catch.hh"

namespace gleaner::member {

namespace {

/// A member that can serve and fetch state.
struct Peer {
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work{
      io.get_executor()};
  DataService data;
  msg::MemberAddress address;
  std::vector<char> state;
  state::Registry registry;
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
    REQUIRE(registry.add(state::Tensor{"state",
                                       state.data(),
                                       state::Dtype::uint8,
                                       {std::int64_t(bytes)},
                                       state::Role::buffer}));
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

generation::session::ServeState serve(std::uint32_t stripe,
                                      std::uint32_t stripes,
                                      std::vector<msg::MemberId> joiners) {
  return {7, 12, std::move(joiners), stripe, stripes, "step 12"};
}

/// Ask for the state of generation 7, and take it.
Result<FetchedState> take(Peer& joiner,
                          generation::session::FetchState const& fetch,
                          DataService::Permit const& permit) {
  auto const sources = ask_for_state(joiner.data, permit, fetch,
                                     joiner.address.member, joiner.registry);
  if (!sources) return sources.error();
  return fetch_state(joiner.data, permit, *sources, joiner.registry,
                     joiner.schema());
}

std::future<Result<FetchedState>> begin_to_take(
    Peer& joiner, generation::session::FetchState const& fetch) {
  return std::async(std::launch::async,
                    [&joiner, fetch, permit = joiner.data.permit(7)] {
                      return take(joiner, fetch, permit);
                    });
}

std::future<bool> begin_to_serve(
    Peer& donor, generation::session::ServeState const& action) {
  return std::async(std::launch::async,
                    [&donor, action, permit = donor.data.permit(7)] {
                      return bool(serve_state(donor.data, permit, action,
                                              donor.registry, donor.schema()));
                    });
}

/// Donors 1, 2, ... and joiners 11, 12, ...
struct Peers {
  Peers(int donors, int joiners, std::size_t bytes) {
    for (int i = 0; i < donors; ++i) {
      givers.push_back(std::make_unique<Peer>(1 + i, bytes));
      for (std::size_t k = 0; k < bytes; ++k)
        givers.back()->state[k] = char(k * 7 / 5);
      fetch.donors.push_back(givers.back()->address);
    }
    for (int j = 0; j < joiners; ++j) {
      takers.push_back(std::make_unique<Peer>(11 + j, bytes));
      fetch.joiners.push_back(takers.back()->address);
      ids.push_back(msg::MemberId(11 + j));
    }
  }
  void move() {
    std::vector<std::future<bool>> serving;
    std::vector<std::future<Result<FetchedState>>> taking;
    for (auto& taker : takers) taking.push_back(begin_to_take(*taker, fetch));
    for (std::size_t i = 0; i < givers.size(); ++i)
      serving.push_back(
          begin_to_serve(*givers[i], serve(i, givers.size(), ids)));
    for (auto& served : serving) CHECK(served.get());
    for (auto& taken : taking) {
      auto const header = taken.get();
      REQUIRE(header);
      CHECK(header->header.session == "step 12");
    }
  }
  std::vector<std::unique_ptr<Peer>> givers, takers;
  std::vector<msg::MemberId> ids;
  generation::session::FetchState fetch{7, {}, {}};
};

}  // namespace

TEST_CASE("joiners get the whole state, each from all that have some of it") {
  auto const donors = GENERATE(1, 2, 3);
  auto const joiners = GENERATE(1, 2, 3, 7);
  auto const bytes = GENERATE(0, 5, 3'000'001);
  CAPTURE(donors, joiners, bytes);
  Peers peers(donors, joiners, std::size_t(bytes));
  peers.move();
  for (auto& taker : peers.takers)
    CHECK(taker->state == peers.givers[0]->state);
}

TEST_CASE("a donor sends its part of the state once, however many join") {
  Peer peer(1, 1'000'003);
  for (int const joiners : {1, 2, 7}) {
    state::StatePortions const portions(peer.registry, 3, joiners);
    std::size_t all = 0;
    for (int donor = 0; donor < 3; ++donor) {
      std::size_t sent = 0;
      for (int j = 0; j < joiners; ++j)
        sent += state::total_bytes(portions.from_donor(j, donor));
      CHECK(sent <= 1'000'003 / 3 + std::size_t(joiners));
      all += sent;
    }
    CHECK(all == 1'000'003);
  }
}

TEST_CASE("a donor that waits for a joiner is freed by abort") {
  Peer donor(1, 100);
  auto serving = begin_to_serve(donor, serve(0, 1, {2}));
  donor.data.abort(7);
  CHECK(serving.wait_for(std::chrono::seconds(5)) == std::future_status::ready);
}

TEST_CASE("a joiner that waits for the switch is freed by abort") {
  Peer donor(1, 100), joiner(2, 100);
  generation::session::FetchState const fetch{
      7, {donor.address}, {joiner.address}};
  auto const permit = joiner.data.permit(7);
  auto taking = begin_to_take(joiner, fetch);
  joiner.data.abort_all();
  REQUIRE(taking.wait_for(std::chrono::seconds(5)) ==
          std::future_status::ready);
  CHECK(!taking.get());
  // What was permitted before the abort is void, whenever it begins.
  CHECK(!take(joiner, fetch, permit));
}

TEST_CASE("a joiner that goes away does not hold up a donor") {
  Peers peers(1, 2, 8'000'000);
  auto& gone = *peers.takers[1];
  auto asked = std::make_unique<Result<StateSources>>(ask_for_state(
      gone.data, gone.data.permit(7), peers.fetch, 12, gone.registry));
  REQUIRE(*asked);
  auto taking = begin_to_take(*peers.takers[0], peers.fetch);
  auto serving = begin_to_serve(*peers.givers[0], serve(0, 1, peers.ids));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  asked.reset();  // in the middle of it
  gone.data.abort_all();
  CHECK(serving.get());
  // Nobody relays what only that one had: the coordinator starts over.
  CHECK(!taking.get());
}

TEST_CASE("joiners that lose a donor all fail, and none waits for another") {
  Peers peers(2, 3, 20'000'000);
  std::vector<std::future<Result<FetchedState>>> taking;
  for (auto& taker : peers.takers)
    taking.push_back(begin_to_take(*taker, peers.fetch));
  auto serving = begin_to_serve(*peers.givers[0], serve(0, 2, peers.ids));
  // The other one dies when it has been asked, before it has sent anything.
  auto& dying = peers.givers[1]->data;
  auto const asked = dying.wait_for(dying.permit(7), peers.ids);
  CHECK(asked.size() == 3);
  dying.abort_all();
  for (auto& taken : taking) {
    REQUIRE(taken.wait_for(std::chrono::seconds(10)) ==
            std::future_status::ready);
    CHECK(!taken.get());
  }
  CHECK(serving.get());
}

TEST_CASE("who does not know the secret gets nothing") {
  Peer donor(1, 100), stranger(2, 100, "guess");
  auto taken = take(stranger, {7, {donor.address}, {stranger.address}},
                    stranger.data.permit(7));
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
  auto own = state::local_address_towards("127.0.0.1:4");
  REQUIRE(own);
  CHECK(*own == "127.0.0.1");
  CHECK(!state::local_address_towards("no such host:4"));
}

}  // namespace gleaner::member

// SPDX-License-Identifier: Apache-2.0
/// What a member does next.  Each test is one rule of the protocol; actions
/// are written as in notation.hh.
#include "runtime/session.hh"

#include <catch2/catch.hpp>

#include "notation.hh"

using gleaner::OnLoss;
using gleaner::SamplerOptions;
using gleaner::Session;
using gleaner::ShareRules;
using gleaner::notation::text;
namespace msg = gleaner::msg;
namespace session = gleaner::session;

namespace {

SamplerOptions options(std::uint64_t dataset_size) {
  SamplerOptions options;
  options.dataset_size = dataset_size;
  options.global_batch = 4;
  return options;
}

std::vector<msg::MemberAddress> at(std::vector<msg::MemberId> const& ids) {
  std::vector<msg::MemberAddress> addresses;
  for (auto const id : ids) addresses.push_back({id, "n", "host:1"});
  return addresses;
}

std::string header_in(session::Actions const& actions) {
  for (auto const& action : actions) {
    if (auto const* serve = std::get_if<session::ServeState>(&action))
      return serve->header;
    if (auto const* write = std::get_if<session::WriteCheckpoint>(&action))
      return write->header;
  }
  return "";
}

/// A member and what happens to it.
struct Member {
  explicit Member(msg::MemberId id, std::uint64_t dataset_size = 40,
                  ShareRules rules = {})
      : id(id), session(id, options(dataset_size), rules) {}

  std::string on(msg::ToMember const& message) {
    return text(session.on_message(message));
  }
  std::string prepare(msg::Generation generation,
                      std::vector<msg::MemberId> const& members,
                      std::vector<msg::MemberId> const& joiners) {
    return on(msg::Prepare{generation, at(members), joiners});
  }
  std::string connected(msg::Generation generation) {
    return text(session.plane_connected(generation));
  }
  std::string offer(msg::Generation generation,
                    std::vector<msg::MemberId> const& members,
                    std::vector<msg::MemberId> const& joiners = {}) {
    return on(msg::Offer{generation, members, joiners, ""});
  }
  std::string resume(msg::Generation generation,
                     std::vector<msg::MemberId> const& members, msg::Step h,
                     std::vector<msg::MemberId> const& lacking = {},
                     std::optional<msg::StepPlan> plan = {},
                     msg::Step recorded = 0) {
    return on(msg::Resume{generation, at(members), h, members.front(), lacking,
                          recorded, plan});
  }

  /// Generation 1 of these members begins; this one is its source.
  void start(std::vector<msg::MemberId> const& members) {
    (void)session.want_start();
    prepare(1, members, {members.begin() + 1, members.end()});
    connected(1);
    header = header_in(
        session.on_message(msg::Start{1, at(members), members.front(), ""}));
    (void)session.state_served(1);
  }
  /// It joins generation 1, with the state of `source`.
  void join(std::vector<msg::MemberId> const& members, Member const& source) {
    (void)session.want_start();
    prepare(1, members, {members.begin() + 1, members.end()});
    connected(1);
    (void)session.state_requested(1);
    REQUIRE(session.state_received(1, source.header));
  }

  std::string step() { return text(session.want_step()); }
  std::string reduce() { return text(session.want_reduction()); }
  /// The first bucket of this step was launched, and is complete.
  std::string first_bucket(msg::Step step, std::uint64_t not_ready = 1,
                           std::uint64_t samples = 4) {
    auto const in = session.generation();
    REQUIRE(session.first_bucket_words(in, step));
    return first_bucket_complete(step, not_ready, samples);
  }
  std::string first_bucket_complete(msg::Step step, std::uint64_t not_ready,
                                    std::uint64_t samples = 4) {
    auto const done = session.first_bucket_done(session.generation(), step,
                                                not_ready, samples);
    REQUIRE(done);
    return text(*done);
  }
  std::string all_buckets(msg::Step step) {
    return text(
        session.reduction_done(session.generation(), step, {.01, .005}));
  }
  /// This whole step, from boundary to boundary.
  void do_step(msg::Step step, std::uint64_t not_ready = 1) {
    (void)session.want_step();
    (void)session.want_reduction();
    first_bucket(step, not_ready);
    all_buckets(step);
  }
  std::string quiesce(msg::Generation generation) {
    on(msg::Quiesce{generation});
    return text(session.plane_stopped());
  }

  msg::MemberId id;
  Session session;
  std::string header;
};

/// Members 1 (source) and 2 at the boundary before step 1.
struct Two {
  explicit Two(std::uint64_t dataset_size = 40)
      : one(1, dataset_size), two(2, dataset_size) {
    one.start({1, 2});
    two.join({1, 2}, one);
  }
  void both_do(msg::Step step, std::uint64_t not_ready = 1) {
    one.do_step(step, not_ready);
    two.do_step(step, not_ready);
  }
  Member one;
  Member two;
};

}  // namespace

// --- coming in -------------------------------------------------------------

TEST_CASE("a joiner asks all members that stay for a stripe of the state") {
  Member joiner(3);
  CHECK(text(joiner.session.want_start()) == "");
  CHECK(joiner.prepare(2, {1, 2, 3}, {3}) == "connect(2)");
  CHECK(joiner.connected(2) == "fetch(2 from 1,2)");
}

TEST_CASE("a joiner is prepared when its requests for state are on their way") {
  Member joiner(3);
  (void)joiner.session.want_start();
  joiner.prepare(2, {1, 2, 3}, {3});
  CHECK(text(joiner.session.state_requested(2)) == "");  // not asked to
  joiner.connected(2);
  CHECK(text(joiner.session.state_requested(1)) == "");
  CHECK(text(joiner.session.state_requested(2)) == "->Prepared(2)");
  CHECK(text(joiner.session.state_requested(2)) == "");
}

TEST_CASE("the source of a start serves its state before it begins") {
  Member source(1);
  (void)source.session.want_start();
  source.prepare(1, {1, 2}, {2});
  CHECK(source.connected(1) == "->Prepared(1)");
  CHECK(source.on(msg::Start{1, at({1, 2}), 1, ""}) == "serve(1: 0/1 to 2)");
  CHECK(text(source.session.state_served(1)) == "started");
  CHECK(source.step() == "begin(1: 0-2) reduce(1 in 1)");
}

TEST_CASE("a source may begin from a checkpoint") {
  Member writer(1);
  writer.start({1});
  writer.do_step(1);
  writer.on(msg::TakeCheckpoint{"c"});
  auto const header = header_in(writer.session.want_step());

  Member source(5);
  (void)source.session.want_start();
  source.prepare(1, {5}, {});
  source.connected(1);
  CHECK(source.on(msg::Start{1, at({5}), 5, "c"}) == "load(c)");
  auto const loaded = source.session.checkpoint_loaded(1, header);
  REQUIRE(loaded);
  CHECK(text(*loaded) == "started");
  CHECK(source.step() == "begin(2: 4-8) reduce(2 in 1)");
}

TEST_CASE("a member with received state is no source before a first bucket") {
  Two members;
  CHECK_FALSE(members.two.session.full());
  (void)members.two.session.want_step();
  members.two.first_bucket(1);
  CHECK(members.two.session.full());
}

TEST_CASE("a header of other data is refused") {
  Member joiner(2, 10), source(1, 40);
  source.start({1, 2});
  for (int step = 1; step <= 5; ++step) source.do_step(step);
  source.on(msg::TakeCheckpoint{"c"});
  auto const header = header_in(source.session.want_step());
  (void)joiner.session.want_start();
  joiner.prepare(1, {1, 2}, {2});
  joiner.connected(1);
  (void)joiner.session.state_requested(1);
  CHECK_FALSE(joiner.session.state_received(1, header));
  CHECK_FALSE(joiner.session.state_received(1, "{}"));
  CHECK_FALSE(joiner.session.state_received(1, "not json"));
}

// --- steps -----------------------------------------------------------------

TEST_CASE("members share a step and apply its reduction") {
  Two members;
  CHECK(members.one.step() == "begin(1: 0-2) reduce(1 in 1)");
  CHECK(members.two.step() == "begin(1: 2-4) reduce(1 in 1)");
  CHECK(members.one.reduce() == "");
  CHECK(members.one.first_bucket(1) == "");
  CHECK(members.one.all_buckets(1) == "apply(1 x1)");
}

TEST_CASE("a step is stable when the next one's first bucket is complete") {
  Two members;
  members.both_do(1);
  CHECK(members.one.session.complete() == 1);
  CHECK(members.one.session.stable() == 0);
  members.one.step();
  members.two.step();
  CHECK(members.one.first_bucket(2) == "->Stable(1)");
  CHECK(members.two.first_bucket(2) == "");  // rank 0 reports for all
  CHECK(members.two.session.stable() == 1);
}

TEST_CASE("a reduction of other samples than planned is refused") {
  Two members;
  (void)members.one.session.want_step();
  REQUIRE(members.one.session.first_bucket_words(1, 1));
  CHECK_FALSE(members.one.session.first_bucket_done(1, 1, 1, 3));
}

TEST_CASE("a value is shown when its step is stable") {
  Two members;
  members.both_do(1);
  members.two.session.log("loss", 2.5, 2);
  (void)members.two.session.want_step();
  CHECK(members.two.first_bucket(2) == "->LogValue(loss@1)");
}

// --- planned changes -------------------------------------------------------

TEST_CASE("all ready in one first bucket: switch before the next step") {
  Two members;
  members.both_do(1);
  for (auto* member : {&members.one, &members.two}) {
    CHECK(member->prepare(2, {1, 2, 3}, {3}) == "connect(2)");
    CHECK(member->connected(2) == "->Prepared(2)");
    CHECK(member->offer(2, {1, 2, 3}, {3}) == "");
  }
  (void)members.two.session.want_step();
  CHECK(members.two.session.first_bucket_words(1, 2)->not_ready == 0);
  members.two.first_bucket_complete(2, 0);
  members.two.reduce();
  CHECK(members.two.all_buckets(2) == "apply(2 x1)");
  CHECK(members.two.step() == "->Switched(2 at 3) serve(2: 1/2 to 3)");
  CHECK(text(members.two.session.state_served(2)) ==
        "begin(3: 9-10) reduce(3 in 2)");
  // The old plane may hold what others have not got yet, until this:
  CHECK(members.two.first_bucket(3) == "drop(1)");
}

TEST_CASE("one member that is not ready keeps the generation") {
  Two members;
  members.one.prepare(2, {1}, {});
  members.one.connected(2);
  members.one.offer(2, {1});
  members.one.do_step(1, 1);
  CHECK(members.one.step() == "begin(2: 4-6) reduce(2 in 1)");
}

TEST_CASE("a leaver keeps its state until it is released") {
  Two members;
  members.two.offer(2, {1});
  members.two.do_step(1, 0);
  CHECK(members.two.step() == "->Switched(2 at 2)");
  CHECK(members.two.session.full());
  CHECK(members.two.on(msg::Release{}) == "leave");
}

TEST_CASE("an offer is withdrawn at once while no word was given for it") {
  Two members;
  members.one.prepare(2, {1}, {});
  members.one.connected(2);
  members.one.offer(2, {1});
  CHECK(members.one.on(msg::Withdraw{2}) == "drop(2) ->Withdrawn(2)");
}

TEST_CASE("once the word is given, the first bucket decides") {
  Two members;
  members.one.prepare(2, {1}, {});
  members.one.connected(2);
  members.one.offer(2, {1});
  (void)members.one.session.want_step();
  REQUIRE(members.one.session.first_bucket_words(1, 1)->not_ready == 0);
  CHECK(members.one.on(msg::Withdraw{2}) == "");
  SECTION("agreed") {
    CHECK(members.one.first_bucket_complete(1, 0) == "->Agreed(2 in 1)");
  }
  SECTION("not agreed") {
    CHECK(members.one.first_bucket_complete(1, 1) == "drop(2) ->Withdrawn(2)");
  }
}

TEST_CASE("a newer generation replaces the one being prepared") {
  Two members;
  members.one.prepare(2, {1, 2, 3}, {3});
  CHECK(members.one.prepare(3, {1}, {}) == "drop(2) connect(3)");
  CHECK(members.one.connected(2) == "");
  CHECK(members.one.prepare(2, {1, 2, 3}, {3}) == "");
}

// --- losses ----------------------------------------------------------------

TEST_CASE("status is given when nothing writes any more") {
  Two members;
  members.both_do(1);
  (void)members.one.session.want_step();
  CHECK(members.one.on(msg::Quiesce{2}) == "stop");
  CHECK(text(members.one.session.plane_stopped()) ==
        "->Status(2 full h=1 begun=2)");
}

TEST_CASE("of two losses the later one is answered") {
  Two members;
  CHECK(members.one.on(msg::Quiesce{2}) == "stop");
  CHECK(members.one.on(msg::Quiesce{3}) == "");
  CHECK(text(members.one.session.plane_stopped()) == "->Status(3 full h=0)");
  CHECK(members.one.on(msg::Quiesce{4}) == "->Status(4 full h=0)");
  CHECK(members.one.resume(3, {1}, 0) == "");
}

TEST_CASE("a begun step keeps its gradients and its shares") {
  Two members;
  (void)members.one.session.want_step();
  members.one.reduce();
  members.one.quiesce(2);
  CHECK(members.one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2)");
  CHECK(members.one.connected(2) == "->Prepared(2) reduce(1 in 2)");
  CHECK(members.one.first_bucket(1, 1, 2) == "");
  // Half of the samples: the sum counts twice.
  CHECK(members.one.all_buckets(1) == "apply(1 x2)");
  // Those of the dead come next.
  CHECK(members.one.step() == "begin(2: 2-6) reduce(2 in 2)");
}

TEST_CASE("a member without the last reduction takes it over whole") {
  Two members;
  (void)members.two.session.want_step();
  members.two.reduce();
  members.two.first_bucket(1);
  CHECK(members.two.quiesce(2) == "->Status(2 full h=0 begun=1)");
  CHECK(members.two.resume(2, {1, 2}, 1, {2}) ==
        "connect(2) take_over(1 from 1)");
  CHECK(text(members.two.session.reduction_fetched(2)) == "apply(1 x1)");
}

TEST_CASE("another loss during a takeover leaves it where it was") {
  Two members;
  (void)members.two.session.want_step();
  members.two.first_bucket(1);
  members.two.quiesce(2);
  members.two.resume(2, {1, 2}, 1, {2});
  CHECK(members.two.quiesce(3) == "->Status(3 full h=0 begun=1)");
  CHECK(text(members.two.session.reduction_fetched(2)) == "");
}

TEST_CASE("what completes before the stop is answered counts") {
  Two members;
  (void)members.one.session.want_step();
  members.one.first_bucket(1);
  members.one.on(msg::Quiesce{2});
  members.one.all_buckets(1);
  CHECK(text(members.one.session.plane_stopped()) == "->Status(2 full h=1)");
}

TEST_CASE("a step whose samples all went with the dead is planned anew") {
  // 4 samples for 5 members: the first has none.
  Member one(1);
  one.start({1, 2, 3, 4, 5});
  CHECK(one.step() == "begin(1: ) reduce(1 in 1)");
  one.quiesce(2);
  one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2, 3, 4, 5}, {{2, 3, 4, 5}}});
  one.connected(2);
  CHECK(one.reduce() == "begin(1: 0-4) reduce(1 in 2)");
}

TEST_CASE("recompute: a survivor adds its part of the dead share, then sums") {
  Member one(1, 40, {OnLoss::recompute, 0});
  one.start({1, 2});
  CHECK(one.step() == "begin(1: 0-2) reduce(1 in 1)");
  one.reduce();
  one.quiesce(2);
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2) more(1: 2-4)");
  CHECK(one.connected(2) == "->Prepared(2) reduce(1 in 2)");
  CHECK(one.reduce() == "");
  CHECK(one.first_bucket(1, 1, 4) == "");
  CHECK(one.all_buckets(1) == "apply(1 x1)");
  CHECK(one.step() == "begin(2: 4-8) reduce(2 in 2)");
}

TEST_CASE(
    "recompute: nothing is summed before the program has added its part") {
  Member one(1, 40, {OnLoss::recompute, 0});
  one.start({1, 2});
  one.step();
  one.quiesce(2);  // the program computes
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2)");
  CHECK(one.connected(2) == "->Prepared(2)");
  CHECK(one.reduce() == "more(1: 2-4) reduce(1 in 2)");
}

TEST_CASE("recompute: another loss adds to what is computed again") {
  // Of 4 samples each member has one; 3 and 4 are lost one after the other.
  Member one(1, 40, {OnLoss::recompute, 0});
  one.start({1, 2, 3, 4});
  one.step();
  one.reduce();
  one.quiesce(2);
  // One sample for three: the first of them gets none.
  CHECK(one.resume(2, {1, 2, 3}, 0, {},
                   msg::StepPlan{1, {1, 2, 3, 4}, {{4}}}) == "connect(2)");
  one.quiesce(3);
  CHECK(one.resume(3, {1, 2}, 0, {},
                   msg::StepPlan{1, {1, 2, 3, 4}, {{4}, {3}}}) ==
        "connect(3) more(1: 2-3)");
}

TEST_CASE("deterministic: a member computes its shards one by one") {
  Member one(1, 40, {OnLoss::recompute, 4});
  one.start({1, 2});
  CHECK(one.step() == "begin(1: 0-1)");
  CHECK(one.reduce() == "more(1: 1-2) reduce(1 in 1)");
  one.reduce();
  one.quiesce(2);
  CHECK(one.resume(2, {1}, 0, {}, msg::StepPlan{1, {1, 2}, {{2}}}) ==
        "connect(2) more(1: 2-3)");
  one.connected(2);
  CHECK(one.reduce() == "more(1: 3-4) reduce(1 in 2)");
}

TEST_CASE("a member foresees its shares, whether of this step or of others") {
  Member one(1, 12, {OnLoss::recompute, 4});
  one.start({1, 2});
  CHECK_FALSE(one.session.foresee(1));
  one.step();
  auto const foreseen = [&](std::uint32_t ahead) {
    auto const share = one.session.foresee(ahead);
    return share ? share->positions : gleaner::Positions{};
  };
  CHECK(foreseen(1) == gleaner::Positions{{1, 2}});
  CHECK(foreseen(2) == gleaner::Positions{{4, 5}});
  CHECK(foreseen(5) == gleaner::Positions{{9, 10}});
  CHECK_FALSE(one.session.foresee(6));
}

TEST_CASE("a step that a survivor has begun is begun as it was planned") {
  Two members;
  members.both_do(1);
  members.two.quiesce(2);
  members.two.resume(2, {2}, 1, {}, msg::StepPlan{2, {1, 2}, {{1}}});
  members.two.connected(2);
  CHECK(members.two.step() == "begin(2: 6-8) reduce(2 in 2)");
}

TEST_CASE("a joiner that is reset computes again with the state it gets") {
  Two members;
  (void)members.two.session.want_step();
  members.two.quiesce(2);
  CHECK(members.two.on(msg::Reset{2}) == "");
  members.two.prepare(3, {1, 2}, {2});
  // Its program still computes with the old state: not yet prepared.
  CHECK(members.two.connected(3) == "");
  CHECK(members.two.reduce() == "fetch(3 from 1)");
  CHECK(text(members.two.session.state_requested(3)) == "->Prepared(3)");
  auto const begun = members.two.session.state_received(3, members.one.header);
  REQUIRE(begun);
  CHECK(text(*begun) == "begin(1: 2-4) reduce(1 in 3)");
}

TEST_CASE("a value of a step that was taken away is not shown") {
  Two members;
  (void)members.two.session.want_step();
  members.two.quiesce(2);
  members.two.on(msg::Reset{2});
  members.two.session.log("loss", 1, 2);
  members.two.prepare(3, {1, 2}, {2});
  members.two.connected(3);
  members.two.reduce();
  (void)members.two.session.state_requested(3);
  REQUIRE(members.two.session.state_received(3, members.one.header));
  members.two.first_bucket(1);
  members.two.all_buckets(1);
  members.two.reduce();
  members.two.step();
  CHECK(members.two.first_bucket(2) == "");
}

TEST_CASE("a new rank 0 reports what the coordinator may have missed") {
  Two members;
  for (msg::Step step = 1; step <= 3; ++step) members.both_do(step);
  members.two.quiesce(2);
  CHECK(members.two.resume(2, {2}, 3, {}, {}, 1) == "connect(2) ->Stable(2)");
  members.two.connected(2);
  members.two.step();
  CHECK(members.two.first_bucket(4) == "->Stable(3)");
}

TEST_CASE("steps that the coordinator has recorded are forgotten") {
  Two members;
  for (msg::Step step = 1; step <= 3; ++step) members.both_do(step);
  members.two.on(msg::Recorded{2});
  members.two.quiesce(2);
  CHECK(members.two.resume(2, {2}, 3) == "connect(2)");
}

TEST_CASE("a plane that breaks is reported once") {
  Two members;
  CHECK(text(members.one.session.failed(1, "reset by peer")) ==
        "->PrepareFailed(1)");
  CHECK(text(members.one.session.failed(1, "reset by peer")) == "");
  CHECK(text(members.one.session.failed(7, "who?")) == "");
}

// --- the end, parks, checkpoints -------------------------------------------

TEST_CASE("the last step is tentative until all have arrived") {
  Two members(4);
  members.both_do(1);
  CHECK(members.one.step() == "->Stable(1?) ->Finished(1)");
  CHECK(members.two.step() == "->Finished(1)");
  CHECK(members.one.on(msg::Finish{}) == "done");
}

TEST_CASE("an end that a loss interrupts is reported again") {
  Two members(4);
  members.both_do(1);
  members.two.step();
  CHECK(members.two.quiesce(2) == "->Status(2 full h=1)");
  CHECK(members.two.resume(2, {2}, 1) ==
        "connect(2) ->Stable(1?) ->Finished(1)");
}

TEST_CASE("who waits for state is told of the end, too") {
  Member joiner(3);
  (void)joiner.session.want_start();
  joiner.prepare(2, {1, 3}, {3});
  joiner.connected(2);
  CHECK(joiner.on(msg::Finish{}) == "drop(2) done");
}

TEST_CASE("to park, rank 0 writes the state at the boundary") {
  Two members;
  for (auto* member : {&members.one, &members.two}) {
    member->on(msg::Offer{2, {}, {}, "c"});
    member->do_step(1, 0);
  }
  CHECK(members.one.step() == "->Stable(1?) ->Switched(2 at 2) write(c of 1)");
  CHECK(members.two.step() == "->Switched(2 at 2)");
  CHECK(text(members.one.session.checkpoint_written("c", 10)) ==
        "->Checkpointed(c of 1)");
  CHECK(members.one.on(msg::Release{}) == "leave");
}

TEST_CASE("a checkpoint says of which generation and step it is") {
  Two members;
  members.both_do(1);
  members.one.on(msg::TakeCheckpoint{"c"});
  auto const header = header_in(members.one.session.want_step());
  CHECK(header.find("\"generation\":1") != std::string::npos);
  CHECK(header.find("\"step\":1") != std::string::npos);
}

TEST_CASE("a checkpoint is reported when its step is stable") {
  Two members;
  members.both_do(1);
  members.one.on(msg::TakeCheckpoint{"c"});
  CHECK(members.one.step() == "write(c of 1) begin(2: 4-6) reduce(2 in 1)");
  CHECK(text(members.one.session.checkpoint_written("c", 10)) == "");
  CHECK(members.one.first_bucket(2) == "->Stable(1) ->Checkpointed(c of 1)");
}

TEST_CASE("a release ends a call that would wait for ever") {
  Two members;
  (void)members.two.session.want_step();
  CHECK(members.two.reduce() == "");
  CHECK(members.two.on(msg::Release{}) == "leave");
}

TEST_CASE("a release finds a busy program at its next call") {
  Two members;
  (void)members.two.session.want_step();
  CHECK(members.two.on(msg::Release{}) == "");
  CHECK(members.two.reduce() == "leave");
}

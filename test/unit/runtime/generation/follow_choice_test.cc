// SPDX-License-Identifier: Apache-2.0
/// Do joiners follow, and why not?  See also follow_forecast_test.cc.
#include "runtime/generation/follow_choice.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {
using Follow = membership::Options::Follow;

namespace {

/// A training of member 1, with a state of 1 GB, a gradient of 10 MB and steps
/// of 1 s, that member 2 is to join; links of 1 GB/s until they are measured.
struct Training {
  explicit Training(Follow follow) : choice(options(follow)) {
    table.add(100, "n1", {1});
    table.add(100, "n2", {2});
    schema.state_bytes = 1'000'000'000;
    schema.gradient_bytes = 10'000'000;
  }
  static membership::Options options(Follow follow) {
    membership::Options options;
    options.follow = follow;
    options.bytes_per_s = 1e9;
    return options;
  }
  std::string objection() const {
    return choice.objection({1, 2}, {2}, table, {schema, 1, 0.01});
  }
  void measured(double bytes_per_s) {
    msg::StateReceived received;
    received.bytes = 1 << 30;
    received.took_s = double(received.bytes) / bytes_per_s;
    choice.measured(received);
  }

  MemberTable table;
  msg::Loaded schema;
  FollowChoice choice;
};

}  // namespace

TEST_CASE("joiners follow where that spares the training a standstill") {
  CHECK(Training(Follow::automatic).objection().empty());
}

TEST_CASE("the state is copied where following is off") {
  CHECK(Training(Follow::off).objection() == "GLEANER_FOLLOW is off");
}

TEST_CASE("the state is copied where a program must") {
  Training training(Follow::on);
  training.table.at(1).must_copy = "deterministic mode";
  CHECK(training.objection() == "deterministic mode");
}

TEST_CASE("the state is copied to members that compute otherwise") {
  Training training(Follow::on);
  training.table.at(1).fingerprint = "avx2";
  training.table.at(2).fingerprint = "avx512";
  CHECK(training.objection() ==
        "member 2 computes with 'avx512', member 1 with 'avx2'");
}

TEST_CASE("a joiner that failed to follow twice gets a copy") {
  Training training(Follow::on);
  training.table.at(2).failed_follows = 1;
  CHECK(training.objection().empty());
  training.table.at(2).failed_follows = 2;
  CHECK(training.objection() == "member 2 could not follow before");
}

TEST_CASE("what transfers have taken counts, not what was assumed") {
  Training training(Follow::automatic);
  training.measured(1e11);  // a copy takes a moment
  CHECK(training.objection() == "the state is copied in a moment");
  for (int i = 0; i < 30; ++i) training.measured(1e7);
  CHECK(training.objection() ==
        "to follow a step would take more than half a step");
}

TEST_CASE("small transfers say nothing of a link's speed") {
  Training training(Follow::automatic);
  msg::StateReceived received;
  received.bytes = 1000;
  received.took_s = 1;
  training.choice.measured(received);
  CHECK(training.objection().empty());
}

TEST_CASE("where following is on, no forecast is asked") {
  Training training(Follow::on);
  training.measured(1e11);
  CHECK(training.objection().empty());
}

}  // namespace gleaner::generation

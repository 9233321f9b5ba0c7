// SPDX-License-Identifier: Apache-2.0
/// A member's session as its tests drive it: events in, actions out as text.
#pragma once

#include <string>
#include <vector>

#include "notation.hh"
#include "runtime/generation/session.hh"
#include "test/unit/catch.hh"

namespace gleaner::generation::test {

using notation::text;

inline SamplerOptions options(std::uint64_t dataset_size) {
  SamplerOptions options;
  options.dataset_size = dataset_size;
  options.global_batch = 4;
  return options;
}

inline std::vector<msg::MemberAddress> at(
    std::vector<msg::MemberId> const& ids) {
  std::vector<msg::MemberAddress> addresses;
  for (auto const id : ids) addresses.push_back({id, "n", "host:1"});
  return addresses;
}

inline std::string header_in(session::Actions const& actions) {
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
                  ShareRules rules = {}, std::uint64_t micro_batch_max = 0)
      : id(id), session(id, options(dataset_size), rules, micro_batch_max) {}

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
                    std::vector<msg::MemberId> const& joiners = {},
                    std::uint32_t lead = 0) {
    return on(msg::Offer{generation, members, joiners, "", lead});
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

}  // namespace gleaner::generation::test

// SPDX-License-Identifier: Apache-2.0
/// A coordinator's Membership and what its members say to it, for tests.  The
/// methods return the orders in the words of notation.hh.
#pragma once

#include <limits>

#include "notation.hh"
#include "runtime/generation/membership.hh"

namespace gleaner::generation::notation {

using Ids = std::vector<msg::MemberId>;
constexpr double never = std::numeric_limits<double>::infinity();

inline membership::Options options() {
  membership::Options options;
  options.checkpoint_prefix = "c";
  options.checkpoint_interval_s = 0;
  return options;
}

inline msg::Loaded loaded(std::string const& schema = "s") {
  msg::Loaded message;
  message.schema = schema;
  message.dataset_size = 40;
  return message;
}

/// A coordinator, and what its members say to it.
struct Trainer {
  explicit Trainer(membership::Options options = notation::options())
      : membership(std::move(options)) {}

  membership::Orders keep(membership::Orders orders) {
    last = std::move(orders);
    return last;
  }
  std::string says(msg::MemberId member, msg::FromMember const& message) {
    return text(keep(membership.on_message(now, member, message)));
  }
  std::string gone(msg::MemberId member) {
    return text(keep(membership.member_gone(now, member, "killed")));
  }
  std::string leave(std::string const& node, double within_s) {
    return text(
        keep(membership.leave_node(now, node, now + within_s, "reclaim")));
  }
  std::string after(double seconds) {
    now += seconds;
    return text(keep(membership.tick(now)));
  }
  void announce(std::string const& node, Ids const& members) {
    (void)membership.add_members(now, node, members);
    for (auto const id : members)
      says(id, msg::MemberHello{id, node, 1, "host:1", "tcp"});
  }
  std::string load(msg::MemberId member) { return says(member, loaded()); }
  std::string all_prepared(msg::Generation generation, Ids const& members) {
    std::string orders;
    for (auto const id : members) orders = says(id, msg::Prepared{generation});
    return orders;
  }
  void all_switch(msg::Generation generation, msg::Step first,
                  Ids const& members) {
    for (auto const id : members) says(id, msg::Switched{generation, first});
  }
  std::string stable(msg::MemberId member, msg::Generation generation,
                     msg::Step step, bool tentative = false,
                     double duration_s = 0) {
    msg::Stable report;
    report.generation = report.reduced_in = generation;
    report.step = step;
    report.tentative = tentative;
    report.duration_s = duration_s;
    report.samples_seen = 4 * step;
    report.taken = {{std::uint64_t(4 * step - 4), std::uint64_t(4 * step)}};
    return says(member, report);
  }
  /// Members 1, 2, ... each on its node n1, n2, ... in generation 1, step 1
  /// recorded.
  void train(msg::MemberId n) {
    Ids members;
    for (msg::MemberId id = 1; id <= n; ++id) {
      announce("n" + std::to_string(id), {id});
      members.push_back(id);
    }
    for (auto const id : members) load(id);
    all_prepared(1, members);
    stable(1, 1, 1);
  }
  std::string status(msg::MemberId member, msg::Generation generation,
                     msg::Step complete,
                     std::optional<msg::StepPlan> begun = {},
                     bool full = true) {
    return says(member, msg::Status{generation, full, complete, begun});
  }

  Membership membership;
  membership::Orders last;
  double now = 100;
};

}  // namespace gleaner::generation::notation

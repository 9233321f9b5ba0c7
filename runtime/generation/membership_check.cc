// SPDX-License-Identifier: Apache-2.0
/// Do all members have the same state after a switch?
///
/// Each member of a new generation sends digests of the state that it begins
/// with, beside its first step.  Nobody waits for the answer; but who has
/// another state than most is replaced, and the event log says so.
#include <algorithm>
#include <utility>

#include "runtime/generation/membership_state.hh"

namespace gleaner {
namespace {

using Digests = std::map<msg::MemberId, msg::StateDigest>;

/// Members that agree with most; in doubt with the first in rank.
MemberIds majority(MemberIds const& ranks, Digests const& all) {
  std::vector<MemberIds> groups;  // by their first in rank; hardly ever two
  auto const agree = [&](msg::MemberId a, msg::MemberId b) {
    return all.at(a).step == all.at(b).step &&
           all.at(a).digests == all.at(b).digests;
  };
  for (auto const id : ranks) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](auto const& g) {
      return agree(g.front(), id);
    });
    if (group == groups.end()) group = groups.insert(group, MemberIds{});
    group->push_back(id);
  }
  return *std::max_element(
      groups.begin(), groups.end(),
      [](auto const& a, auto const& b) { return a.size() < b.size(); });
}

/// The first tensor in which they differ, in words.
std::string difference(msg::StateDigest const& a, msg::StateDigest const& b) {
  if (a.step != b.step)
    return "it is of step " + std::to_string(a.step) + ", not " +
           std::to_string(b.step);
  for (auto const& [name, digest] : a.digests) {
    auto const it = b.digests.find(name);
    if (it == b.digests.end() || it->second != digest)
      return name.empty() ? "in sampled bytes" : "in tensor '" + name + "'";
  }
  return "in what is looked at";
}

}  // namespace

void Membership::State::on(MemberEntry& from, msg::StateDigest const& message) {
  auto const g = message.generation;
  bool const next = change && g == change->generation && change->agreed;
  if (recovery || (!next && g != generation)) return;
  auto const ranks = next ? change->members : members;
  if (!contains(ranks, from.id)) return;
  if (digests_of != g) digests.clear();
  digests_of = g;
  digests[from.id] = message;
  if (digests.size() < ranks.size()) return;
  for (auto const id : ranks)
    if (!digests.count(id)) return;
  compare_states(ranks, std::exchange(digests, {}));
}

void Membership::State::compare_states(MemberIds const& ranks,
                                       Digests const& all) {
  auto const same = majority(ranks, all);
  auto const& right = all.at(same.front());
  MemberIds differ;
  for (auto const id : ranks)
    if (!contains(same, id)) differ.push_back(id);
  record("state_check", {{"generation", right.generation},
                         {"step", right.step},
                         {"members", ranks.size()},
                         {"digests", right.digests.size()},
                         {"differ", differ}});
  for (auto const id : differ) {
    auto const why = "member " + std::to_string(id) +
                     " has another state than the others after the switch to "
                     "generation " +
                     std::to_string(right.generation) + ": " +
                     difference(all.at(id), right);
    record("error", {{"what", why}});
    kill(id, "its state differs from that of the others");
  }
}

}  // namespace gleaner

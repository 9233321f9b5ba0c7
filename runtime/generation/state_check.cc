// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/state_check.hh"

#include <algorithm>
#include <utility>

namespace gleaner::generation {
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

StateVerdict compare(MemberIds const& ranks, Digests const& all) {
  auto const same = majority(ranks, all);
  auto const& right = all.at(same.front());
  StateVerdict verdict{
      right.generation, right.step, ranks.size(), right.digests.size(), {}};
  for (auto const id : ranks)
    if (!contains(same, id))
      verdict.differ.push_back({id, difference(all.at(id), right)});
  return verdict;
}

}  // namespace

std::optional<StateVerdict> StateCheck::add(MemberIds const& ranks,
                                            msg::MemberId from,
                                            msg::StateDigest const& digest) {
  if (generation_ != digest.generation) digests_.clear();
  generation_ = digest.generation;
  digests_[from] = digest;
  for (auto const id : ranks)
    if (!digests_.count(id)) return std::nullopt;
  return compare(ranks, std::exchange(digests_, {}));
}

}  // namespace gleaner::generation

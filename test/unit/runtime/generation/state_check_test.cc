// SPDX-License-Identifier: Apache-2.0
/// Which members have another state than the others after a switch.
#include "runtime/generation/state_check.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// "4 w=a b=c": the state before step 5, with these digests of its tensors.
msg::StateDigest state(msg::Generation generation, msg::Step step,
                       std::map<std::string, std::string> digests) {
  msg::StateDigest digest;
  digest.generation = generation;
  digest.step = step;
  for (auto const& [name, value] : digests) digest.digests[name] = value;
  return digest;
}

/// What is found once members 1, 2, ... (in rank order) have sent these:
/// "2: how, 3: how"; "-": nothing was compared.
std::string found(std::vector<msg::StateDigest> const& states) {
  StateCheck check;
  generation::MemberIds ranks;
  for (msg::MemberId id = 1; id <= states.size(); ++id) ranks.push_back(id);
  std::optional<generation::StateVerdict> verdict;
  for (auto const id : ranks) verdict = check.add(ranks, id, states[id - 1]);
  if (!verdict) return "-";
  std::string text;
  for (auto const& one : verdict->differ)
    text += (text.empty() ? "" : ", ") + std::to_string(one.member) + ": " +
            one.how;
  return text;
}

}  // namespace

TEST_CASE("the state of most members is the right one") {
  auto const good = state(7, 4, {{"w", "aa"}, {"b", "cc"}});
  auto const other = state(7, 4, {{"w", "aa"}, {"b", "dd"}});
  struct Case {
    char const* rule;
    std::vector<msg::StateDigest> states;
    std::string differ;
  };
  for (auto const& c : {
           Case{"all are equal", {good, good, good}, ""},
           Case{
               "one of three differs", {good, other, good}, "2: in tensor 'b'"},
           Case{"also the first in rank",
                {other, good, good},
                "1: in tensor 'b'"},
           Case{"of two the first in rank is right",
                {good, other},
                "2: in tensor 'b'"},
           Case{"a state of another step differs as a whole",
                {good, good, state(7, 3, {{"w", "aa"}, {"b", "cc"}})},
                "3: it is of step 3, not 4"},
           Case{"samples of bytes have no name",
                {state(7, 4, {{"", "aa"}}), state(7, 4, {{"", "bb"}})},
                "2: in sampled bytes"},
           Case{"two may differ, each in its own way",
                {good, other, good, state(7, 4, {{"w", "ee"}, {"b", "cc"}}),
                 good},
                "2: in tensor 'b', 4: in tensor 'w'"},
       }) {
    INFO(c.rule);
    CHECK(found(c.states) == c.differ);
  }
}

TEST_CASE("states are compared once all members have sent theirs") {
  StateCheck check;
  auto const good = state(7, 4, {{"w", "aa"}});
  CHECK_FALSE(check.add({1, 2, 3}, 1, good));
  CHECK_FALSE(check.add({1, 2, 3}, 2, good));
  CHECK_FALSE(check.add({1, 2, 3}, 2, good));
  auto const verdict = check.add({1, 2, 3}, 3, good);
  REQUIRE(verdict);
  CHECK(verdict->members == 3);
  CHECK(verdict->step == 4);
}

TEST_CASE("states of different generations are not compared") {
  StateCheck check;
  CHECK_FALSE(check.add({1, 2}, 1, state(7, 4, {{"w", "aa"}})));
  CHECK_FALSE(check.add({1, 2}, 2, state(8, 9, {{"w", "bb"}})));
  auto const verdict = check.add({1, 2}, 1, state(8, 9, {{"w", "bb"}}));
  REQUIRE(verdict);
  CHECK(verdict->generation == 8);
  CHECK(verdict->differ.empty());
}

}  // namespace gleaner::generation

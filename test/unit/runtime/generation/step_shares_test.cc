// SPDX-License-Identifier: Apache-2.0
/// Who computes which part of a step.  Each test is one rule.
#include "runtime/generation/step_shares.hh"

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

StepShares of(msg::MemberId self, msg::StepPlan const& plan, ShareRules rules,
              Positions const& taken = {{0, 12}}) {
  return shares_of_step(plan, taken, rules, self);
}

/// "0-3 8-10": one word for each share.
std::string text(std::vector<Share> const& shares) {
  std::string out;
  for (auto const& share : shares) {
    if (!out.empty()) out += ' ';
    for (auto const& range : share.positions)
      out += (&range == &share.positions.front() ? "" : ",") +
             std::to_string(range.first) + "-" + std::to_string(range.last);
    if (share.positions.empty()) out += "none";
  }
  return out;
}

ShareRules const short_steps{OnLoss::short_step, 0};
ShareRules const recompute{OnLoss::recompute, 0};
ShareRules in_shards(std::uint32_t n) { return {OnLoss::recompute, n}; }

}  // namespace

TEST_CASE("a step is dealt out in the order of ranks") {
  auto const rules = GENERATE(as<ShareRules>{}, short_steps, recompute);
  msg::StepPlan const plan{1, {7, 3, 5}, {}};
  CHECK(text(of(7, plan, rules).mine) == "0-4");
  CHECK(text(of(3, plan, rules).mine) == "4-8");
  CHECK(text(of(5, plan, rules).mine) == "8-12");
  CHECK(of(5, plan, rules).committed == Positions{{0, 12}});
}

TEST_CASE("short: lost shares go back to the sampler") {
  msg::StepPlan const plan{1, {7, 3, 5}, {{3}, {5}}};
  auto const step = of(7, plan, short_steps);
  CHECK(text(step.mine) == "0-4");
  CHECK(step.committed == Positions{{0, 4}});
  CHECK(step.handed_back == Positions{{4, 12}});
}

TEST_CASE("recompute: a lost share is split among those that are left") {
  msg::StepPlan const plan{1, {7, 3, 5}, {{3}}};
  CHECK(text(of(7, plan, recompute).mine) == "0-4 4-6");
  CHECK(text(of(5, plan, recompute).mine) == "8-12 6-8");
  CHECK(of(5, plan, recompute).committed == Positions{{0, 12}});
  CHECK(of(5, plan, recompute).handed_back.empty());
}

TEST_CASE("recompute: who was lost later is split with what it had got") {
  msg::StepPlan const plan{1, {7, 3, 5}, {{3}, {5}}};
  CHECK(text(of(7, plan, recompute).mine) == "0-4 4-6 6-12");
}

TEST_CASE("shards: each is a share, and goes over to another member whole") {
  CHECK(text(of(7, {1, {7, 3, 5}, {}}, in_shards(6)).mine) == "0-2 2-4");
  CHECK(text(of(7, {1, {7, 3, 5}, {{3}}}, in_shards(6)).mine) == "0-2 2-4 4-6");
  CHECK(text(of(5, {1, {7, 3, 5}, {{3}}}, in_shards(6)).mine) ==
        "8-10 10-12 6-8");
}

TEST_CASE("shards: with more members than shards some have an empty share") {
  CHECK(text(of(7, {1, {7, 3, 5}, {}}, in_shards(2)).mine) == "none");
  CHECK(text(of(7, {1, {7, 3, 5}, {{3}}}, in_shards(2)).mine) == "none");
  CHECK(text(of(7, {1, {7, 3, 5}, {{3, 5}}}, in_shards(2)).mine) ==
        "none 0-6 6-12");
}

TEST_CASE("shards: those without samples are computed by nobody") {
  CHECK(text(of(7, {1, {7}, {}}, in_shards(5), {{0, 3}}).mine) ==
        "none 0-1 1-2 2-3");
}

TEST_CASE("who is no member of a step has an empty share") {
  auto const rules =
      GENERATE(as<ShareRules>{}, short_steps, recompute, in_shards(4));
  CHECK(text(of(9, {1, {7, 3}, {}}, rules).mine) == "none");
}

namespace {

std::string in_parts(std::vector<Share> const& shares, std::uint64_t max) {
  std::vector<Share> parts;
  for (Progress progress; progress.shares < shares.size();)
    parts.push_back(next_part(shares, progress, max));
  return text(parts);
}

}  // namespace

TEST_CASE("a share comes in parts of about the same size, within the limit") {
  struct Row {
    std::vector<Share> shares;
    std::uint64_t max;
    std::string parts;
  };
  auto const row = GENERATE(values<Row>({
      {{{{{0, 10}}}}, 0, "0-10"},
      {{{{{0, 10}}}}, 10, "0-10"},
      {{{{{0, 10}}}}, 9, "0-5 5-10"},
      {{{{{0, 10}}}}, 4, "0-3 3-6 6-10"},
      {{{{{0, 3}}}}, 1, "0-1 1-2 2-3"},
      {{{{{0, 2}, {5, 9}}}}, 3, "0-2,5-6 6-9"},
      {{{{{0, 4}}}, {{{8, 11}}}}, 3, "0-2 2-4 8-11"},
      {{{{}}, {{{8, 11}}}}, 2, "none 8-9 9-11"},
      {{{{}}}, 2, "none"},
  }));
  CAPTURE(text(row.shares), row.max);
  CHECK(in_parts(row.shares, row.max) == row.parts);
}

TEST_CASE("a limit that becomes smaller holds for what is left") {
  std::vector<Share> const shares{{{{0, 12}}}};
  Progress progress;
  CHECK(text({next_part(shares, progress, 6)}) == "0-6");
  CHECK(text({next_part(shares, progress, 2)}) == "6-8");
  CHECK(text({next_part(shares, progress, 0)}) == "8-12");
  CHECK(progress == Progress{1, 0});
}

TEST_CASE("in any history of losses each position is in one member's shares") {
  auto const seed = GENERATE(take(300, random(1u, 1u << 30)));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  auto const below = [&](unsigned n) { return unsigned(random() % n); };
  auto const rules = below(2) ? recompute : in_shards(1 + below(9));
  auto const first = below(50);
  Positions const taken{{first, first + 1 + below(40)}};
  msg::StepPlan plan{1, {}, {}};
  for (msg::MemberId id = 1, n = 1 + below(6); id <= n; ++id)
    plan.members.push_back(id);
  auto alive = plan.members;
  std::map<msg::MemberId, std::vector<Share>> before;
  for (;;) {
    Positions all;
    for (auto const id : alive) {
      auto const mine = of(id, plan, rules, taken).mine;
      for (auto const& share : mine) {
        for (auto const& range : share.positions)
          for (auto const& other : all)
            REQUIRE((range.last <= other.first || other.last <= range.first));
        all = merged(all, share.positions);
      }
      // What it had before comes first, unchanged.
      REQUIRE(mine.size() >= before[id].size());
      REQUIRE(std::equal(before[id].begin(), before[id].end(), mine.begin()));
      before[id] = mine;
    }
    REQUIRE(all == taken);
    if (alive.size() == 1) break;
    std::shuffle(alive.begin(), alive.end(), random);
    auto const left = 1 + below(unsigned(alive.size()) - 1);
    plan.gone.emplace_back(alive.begin() + left, alive.end());
    alive.resize(left);
  }
}

}  // namespace gleaner::generation

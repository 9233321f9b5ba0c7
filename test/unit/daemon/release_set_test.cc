// SPDX-License-Identifier: Apache-2.0
/// Which parts a job gets of a node, and no other.
#include "daemon/decisions/release_set.hh"

#include <random>

#include "test/unit/catch.hh"

namespace gleaner::daemon {
namespace {

Resources has(int cpus, char const* gres) {
  return {cpus, 1000 * cpus, *parse_gres(gres)};
}

PartOfNode lent(char const* gres, JobId lease) {
  return {has(2, gres), true, lease};
}
PartOfNode idle(char const* gres) { return {has(2, gres), false, 0}; }

/// "0,2"; "none".
std::string text(std::optional<std::vector<std::size_t>> const& set) {
  if (!set) return "none";
  std::string text;
  for (auto const i : *set)
    text += (text.empty() ? "" : ",") + std::to_string(i);
  return text;
}

TEST_CASE("the smallest sufficient set of the right type is released") {
  std::vector<PartOfNode> const parts = {lent("gpu:a:1", 12),
                                         lent("gpu:a:1", 11),
                                         lent("gpu:b:1", 10), idle("gpu:b:1")};
  struct Row {
    Resources free, needed;
    char const* released;
  };
  for (auto const& row : std::initializer_list<Row>{
           {{}, {}, ""},
           {{}, has(1, "gpu:a:1"), "1"},  // the older lease
           {{}, has(1, "gpu:a:2"), "0,1"},
           {{}, has(1, "gpu:b:1"), "3"},  // no lease where an idle part does
           {{}, has(1, "gpu:b:2"), "2,3"},
           {{}, has(1, "gpu:1"), "3"},
           {{}, has(1, "gpu:2"), "2,3"},
           {{}, has(1, "gpu:4"), "0,1,2,3"},
           {{}, has(1, "gpu:5"), "none"},
           {{}, has(1, "gpu:a:3"), "none"},
           {has(2, "gpu:a:1"), has(1, "gpu:a:1"), ""},
           {has(2, "gpu:a:1"), has(1, "gpu:a:2"), "1"},
           {has(1, ""), has(3, ""), "3"},  // CPUs alone
           {has(1, ""), has(5, ""), "2,3"},
           {has(1, ""), has(9, ""), "0,1,2,3"},
           {has(1, ""), has(10, ""), "none"},
       }) {
    CAPTURE(to_string(row.free), to_string(row.needed));
    CHECK(text(release_set(row.free, parts, row.needed)) == row.released);
  }
}

TEST_CASE("one large lease goes rather than two small ones") {
  std::vector<PartOfNode> const parts = {{has(2, "gpu:1"), true, 1},
                                         {has(2, "gpu:1"), true, 2},
                                         {has(4, "gpu:2"), true, 3}};
  CHECK(text(release_set({}, parts, has(1, "gpu:2"))) == "2");
  CHECK(text(release_set({}, parts, has(1, "gpu:1"))) == "0");
  CHECK(text(release_set({}, parts, has(1, "gpu:3"))) == "0,2");
}

TEST_CASE("a lease that is only offered is the youngest") {
  std::vector<PartOfNode> const parts = {lent("gpu:1", 0), lent("gpu:1", 9)};
  CHECK(text(release_set({}, parts, has(1, "gpu:1"))) == "1");
}

/// All subsets, one by one.
std::optional<std::pair<long, long>> fewest(
    Resources const& free, std::vector<PartOfNode> const& parts,
    Resources const& needed) {
  std::optional<std::pair<long, long>> best;  // leases, idle parts
  for (unsigned set = 0; set < 1u << parts.size(); ++set) {
    auto have = free;
    std::pair<long, long> cost{0, 0};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!(set >> i & 1)) continue;
      have = plus(have, parts[i].has);
      ++(parts[i].lent ? cost.first : cost.second);
    }
    if (covers(have, needed) && (!best || cost < *best)) best = cost;
  }
  return best;
}

TEST_CASE("no smaller set would do: random nodes against all subsets") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  auto const up_to = [&](int most) {
    return std::uniform_int_distribution(0, most)(random);
  };
  char const* const types[] = {"gpu:a", "gpu:b", "gpu"};
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<PartOfNode> parts;
    for (int i = up_to(6); i > 0; --i) {
      Resources part{1 + up_to(3), 1000 * (1 + up_to(3)), {}};
      part.gres[types[up_to(1)]] = 1 + up_to(1);
      parts.push_back({part, up_to(1) == 0, static_cast<JobId>(up_to(5))});
    }
    Resources const free{up_to(2), 1000 * up_to(2), {}};
    Resources needed{up_to(8), 1000 * up_to(8), {}};
    if (int const gpus = up_to(4)) needed.gres[types[up_to(2)]] = gpus;
    auto const best = fewest(free, parts, needed);
    auto const set = release_set(free, parts, needed);
    REQUIRE(set.has_value() == best.has_value());
    if (!set) continue;
    auto have = free;
    std::pair<long, long> cost{0, 0};
    for (auto const i : *set) {
      have = plus(have, parts[i].has);
      ++(parts[i].lent ? cost.first : cost.second);
    }
    REQUIRE(covers(have, needed));
    REQUIRE(cost == *best);
  }
}

}  // namespace
}  // namespace gleaner::daemon

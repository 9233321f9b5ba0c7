// SPDX-License-Identifier: Apache-2.0
/// Which members hold which cells, and what moves when members change.  Each
/// test is one rule.
#include "runtime/generation/layout.hh"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// "1@a 2@b": member 1 on node a.
std::vector<Holder> members(std::string const& text) {
  std::vector<Holder> found;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    auto const at = word.find('@');
    auto const id = static_cast<msg::MemberId>(std::stoul(word.substr(0, at)));
    found.push_back({id, word.substr(at + 1)});
  }
  return found;
}

/// "1,2 2,1": cell 0 is held by 1, its owner, and by 2; "-" is held by nobody.
std::string text(Layout const& layout) {
  std::string out;
  for (auto const& holders : layout.cells) {
    out += out.empty() ? "" : " ";
    if (holders.empty()) out += "-";
    for (auto const& id : holders)
      out += (&id == &holders.front() ? "" : ",") + std::to_string(id);
  }
  return out;
}

/// "0:1>3": cell 0 goes from member 1 to member 3.
std::string text(std::vector<CellMove> const& moves) {
  std::string out;
  for (auto const& move : moves)
    out += (out.empty() ? "" : " ") + std::to_string(move.cell) + ":" +
           std::to_string(move.from) + ">" + std::to_string(move.to);
  return out;
}

Layout none(std::size_t cells) {
  return {std::vector<std::vector<msg::MemberId>>(cells)};
}

unsigned seed() {
  char const* given = std::getenv("GLEANER_SEED");
  return given ? static_cast<unsigned>(std::stoul(given))
               : std::random_device{}();
}

/// Copies of `next` that their holder had not.
std::size_t moved(Layout const& previous, Layout const& next) {
  std::size_t n = 0;
  for (std::size_t cell = 0; cell < next.cells.size(); ++cell)
    for (auto const id : next.cells[cell])
      n += std::count(previous.cells[cell].begin(), previous.cells[cell].end(),
                      id) == 0;
  return n;
}

/// So many copies move at least: a member keeps no more than it had, and no
/// more than it may hold; a cell keeps no more copies than it shall have.  The
/// two limits together are the smallest cut between cells and members, found
/// here by trying each set of members that are cut off by their own limit.
std::size_t moves_min(Layout const& previous,
                      std::vector<Holder> const& present, std::size_t load_max,
                      std::size_t copies) {
  std::size_t kept_max = previous.cells.size() * copies;
  for (unsigned full = 0; full < 1U << present.size(); ++full) {
    std::size_t cut = 0;
    for (std::size_t m = 0; m < present.size(); ++m)
      if (full >> m & 1U) cut += load_max;
    for (auto const& had : previous.cells) {
      std::size_t open = 0;
      for (std::size_t m = 0; m < present.size(); ++m)
        if (!(full >> m & 1U))
          open += std::count(had.begin(), had.end(), present[m].id);
      cut += std::min(open, copies);
    }
    kept_max = std::min(kept_max, cut);
  }
  return previous.cells.size() * copies - kept_max;
}

using Loads = std::vector<std::size_t>;

/// `loads` after each way to hold a cell: `copies` members of different nodes,
/// from member `m` on.  calls(loads, moved)
template <class Call>
void each_way(std::vector<Holder> const& present,
              std::vector<msg::MemberId> const& had, std::size_t copies,
              std::size_t m, std::set<std::string> const& nodes,
              Loads const& loads, std::size_t cost, Call const& call) {
  if (copies == 0) return call(loads, cost);
  if (m == present.size()) return;
  each_way(present, had, copies, m + 1, nodes, loads, cost, call);
  if (nodes.count(present[m].node)) return;
  auto more = nodes;
  more.insert(present[m].node);
  auto heavier = loads;
  ++heavier[m];
  auto const costs =
      cost + (std::count(had.begin(), had.end(), present[m].id) == 0);
  each_way(present, had, copies - 1, m + 1, more, heavier, costs, call);
}

/// The fewest copies that can move, by trying all layouts.  Where copies must
/// be apart and room is short, moves_min() may be too few.
std::size_t fewest_moves(Layout const& previous,
                         std::vector<Holder> const& present,
                         std::size_t load_max, std::size_t copies) {
  std::map<Loads, std::size_t> best{{Loads(present.size()), 0}};
  for (auto const& had : previous.cells) {
    std::map<Loads, std::size_t> next;
    for (auto const& [loads, cost] : best)
      each_way(present, had, copies, 0, {}, loads, cost,
               [&](Loads const& to, std::size_t costs) {
                 if (*std::max_element(to.begin(), to.end()) > load_max) return;
                 auto const known = next.emplace(to, costs).first;
                 known->second = std::min(known->second, costs);
               });
    best = std::move(next);
  }
  std::size_t fewest = previous.cells.size() * copies;
  for (auto const& [loads, cost] : best) fewest = std::min(fewest, cost);
  return fewest;
}

/// All that a layout promises whatever came before.
void check(Layout const& layout, std::vector<Holder> const& present,
           std::size_t copies, std::size_t load_max) {
  std::map<msg::MemberId, std::string> node_of;
  for (auto const& member : present) node_of[member.id] = member.node;
  std::map<msg::MemberId, std::size_t> load;
  for (auto const& holders : layout.cells) {
    REQUIRE(holders.size() == copies);
    std::set<std::string> nodes;
    for (auto const id : holders) {
      REQUIRE(node_of.count(id) == 1);
      nodes.insert(node_of[id]);
      ++load[id];
    }
    REQUIRE(nodes.size() == holders.size());
  }
  for (auto const& [id, n] : load) REQUIRE(n <= load_max);
}

}  // namespace

TEST_CASE("cells are shared evenly") {
  CHECK(text(next_layout(none(4), members("1@a 2@b"), 1)) == "1 1 2 2");
  CHECK(cells_max(members("1@a 2@b 3@c"), 4, 1) == 2);
  CHECK(cells_max(members("1@a 2@b 3@c"), 4, 2) == 3);
}

TEST_CASE("a copy is on another node, or there is none") {
  CHECK(text(next_layout(none(2), members("1@a 2@b"), 2)) == "1,2 2,1");
  CHECK(text(next_layout(none(2), members("1@a 2@a"), 2)) == "1 2");
  // The one member of node b holds a copy of all.
  CHECK(cells_max(members("1@a 2@a 3@b"), 4, 2) == 4);
}

TEST_CASE("a joiner takes no more than its share") {
  auto const before = next_layout(none(6), members("1@a 2@b"), 1);
  auto const after = next_layout(before, members("1@a 2@b 3@c"), 1);
  CHECK(text(before) == "1 1 1 2 2 2");
  CHECK(text(moves(before, after)) == "2:1>3 5:2>3");
}

TEST_CASE("what a lost member had comes from the copies, evenly") {
  auto const before = next_layout(none(6), members("1@a 2@b 3@c"), 2);
  auto const left = members("1@a 2@b");
  auto const after = next_layout(before, left, 2);
  CHECK(lost_cells(before, left).empty());
  CHECK(moved(before, after) == 4);
  CHECK(moves(before, after).size() == 4);
}

TEST_CASE("without copies, what a lost member had is lost") {
  auto const before = next_layout(none(3), members("1@a 2@b 3@c"), 1);
  auto const left = members("1@a 3@c");
  auto const lost = lost_cells(before, left);
  REQUIRE(lost.size() == 1);
  CHECK(before.cells[lost[0]] == std::vector<msg::MemberId>{2});
  CHECK(moves(before, next_layout(before, left, 1)).empty());
}

TEST_CASE("a leaver's cells are sent by it only while it is a member") {
  auto const before = next_layout(none(2), members("1@a 2@b"), 1);
  CHECK(text(moves(before, next_layout(before, members("1@a"), 1))).empty());
  // It leaves after its cells are copied: a change of two layouts.
}

TEST_CASE("10,000 histories: cells are held, copies apart, the fewest move") {
  auto const first = seed();
  INFO("GLEANER_SEED=" << first);
  std::size_t changes = 0, tight = 0;
  for (unsigned history = 0; history < 10'000; ++history) {
    std::mt19937 random(first + history);
    auto const pick = [&random](unsigned n) { return random() % n; };
    auto layout = none(1 + pick(12));
    auto const copies_wanted = 1 + pick(3);
    std::vector<Holder> present;
    msg::MemberId next_id = 1;
    for (unsigned change = 0; change < 6; ++change) {
      present.erase(std::remove_if(present.begin(), present.end(),
                                   [&](auto const&) { return pick(4) == 0; }),
                    present.end());
      for (auto joiners = pick(3) + present.empty();
           joiners > 0 && present.size() < 7; --joiners)
        present.push_back(
            {next_id++, std::string(1, static_cast<char>('a' + pick(4)))});
      INFO("history " << history << ", change " << change);
      std::set<std::string> nodes;
      for (auto const& member : present) nodes.insert(member.node);
      auto const copies = std::min<std::size_t>(copies_wanted, nodes.size());
      auto const load_max = cells_max(present, layout.cells.size(), copies);
      auto const next = next_layout(layout, present, copies_wanted);
      check(next, present, copies, load_max);
      auto const bound = moves_min(layout, present, load_max, copies);
      REQUIRE(moved(layout, next) >= bound);
      if (moved(layout, next) > bound) {
        REQUIRE(moved(layout, next) ==
                fewest_moves(layout, present, load_max, copies));
        ++tight;
      }
      auto const lost = lost_cells(layout, present);
      REQUIRE(moves(layout, next).size() + lost.size() * copies ==
              moved(layout, next));
      REQUIRE(next == next_layout(layout, present, copies_wanted));
      layout = next;
      ++changes;
    }
  }
  CHECK(changes == 60'000);
  CHECK(tight < changes / 100);
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// What is sent of a snapshot to one who has the one before.
#include "proto/snapshot_change.hh"

#include <random>

#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

using Words = std::vector<std::string>;

Splice<std::string> splice(Words const& next, Words const& before) {
  return make_splice(next, before, [](std::string const& word) {
    return word.substr(0, 1);  // "a1" and "a2" are the same thing, changed
  });
}

/// "2+1" is two old entries and then one new one: "0:2+1 3:1".
std::string text(Splice<std::string> const& splice) {
  std::string all;
  for (auto const& run : splice.runs) {
    all += (all.empty() ? "" : " ") + std::to_string(run.first) + ":" +
           std::to_string(run.count);
    if (run.fresh > 0) all += "+" + std::to_string(run.fresh);
  }
  for (auto const& word : splice.fresh) all += " " + word;
  return all;
}

TEST_CASE("what is told of a list") {
  struct Row {
    Words before, next;
    char const* told;
  };
  for (auto const& row : std::initializer_list<Row>{
           {{}, {}, ""},
           {{}, {"a1", "b1"}, "0:0+2 a1 b1"},
           {{"a1", "b1"}, {}, ""},
           {{"a1", "b1"}, {"a1", "b1"}, "0:2"},
           {{"a1", "b1", "c1"}, {"a1", "c1"}, "0:1 2:1"},
           {{"a1", "b1", "c1"}, {"a1", "b2", "c1"}, "0:1+1 2:1 b2"},
           {{"a1", "c1"}, {"a1", "b1", "c1"}, "0:1+1 1:1 b1"},
           {{"a1", "b1"}, {"b1", "a1"}, "1:1 0:1"},
           {{"a1"}, {"a1", "a1"}, "0:1+1 a1"},
       }) {
    auto const told = splice(row.next, row.before);
    CHECK(text(told) == row.told);
    auto const heard = apply_splice(told, row.before);
    REQUIRE(heard);
    CHECK(*heard == row.next);
  }
}

TEST_CASE("what cannot be meant of a list") {
  struct Row {
    Splice<std::string> splice;
    char const* why;
  };
  Words const before{"a", "b"};
  for (auto const& row : std::initializer_list<Row>{
           {{{{1, 2, 0}}, {}}, "entries 1 to 3 of a list of 2"},
           {{{{3, 0, 0}}, {}}, "entries 3 to 3 of a list of 2"},
           {{{{0xffffffff, 0xffffffff, 0}}, {}},
            "entries 4294967295 to 8589934590 of a list of 2"},
           {{{{0, 2, 2}}, {"c"}}, "more new entries than the 1 that came"},
           {{{{0, 2, 0}}, {"c"}}, "1 new entries without a place"},
       }) {
    auto const heard = apply_splice(row.splice, before);
    REQUIRE(!heard);
    CHECK(heard.error().message == row.why);
  }
}

/// Some of everything.
Snapshot random_snapshot(std::mt19937& random) {
  auto const some = [&](int most) {
    return std::uniform_int_distribution(0, most)(random);
  };
  Snapshot s;
  s.time_s = some(1000);
  s.backfill_s = some(1000);
  s.nodes_total = some(10);
  for (int i = 0; i < 3; ++i) {
    auto const name = "n" + std::to_string(i);
    NodeKind kind{{some(2), 16000, {{"gpu:a", 2}}}, {"fast"}, {"main"}, {}};
    kind.nodes.insert(name);
    s.kinds.push_back(kind);
  }
  for (int i = 0; i < 20; ++i) {
    auto const node = "n" + std::to_string(i);
    auto const job = static_cast<JobId>(i);
    if (some(2)) s.holes.push_back({node, 0, some(9) == 0, {}, 0, 1});
    if (some(2)) s.shared.push_back({node, 1, {some(2), 4000, {}}, 3});
    if (some(2))
      s.leases.push_back({job, node, 1000, 7, "t", some(9) > 0, 1, 2});
    if (some(9) == 0) s.preempted.push_back({job, node, 5});
    if (some(2)) s.trainers.push_back({job, 1000, "x", 1, 2, "", true, 1, "a"});
    PendingJob pending;
    pending.job = job;
    pending.nodes = some(3);
    pending.required.insert(node);
    if (some(2)) s.pending.push_back(pending);
    if (some(2)) s.coming.push_back(pending);
  }
  std::shuffle(s.pending.begin(), s.pending.end(), random);
  if (some(1)) s.reservations["r"].insert("n1");
  return s;
}

TEST_CASE("the other side has the same snapshot, message by message") {
  auto const seed = std::random_device{}();
  std::mt19937 random(seed);
  CAPTURE(seed);
  Snapshot known;
  for (int i = 0; i < 300; ++i) {
    auto const next = random_snapshot(random);
    auto const json = msg::to_json(msg::FromPlugin(make_change(next, known)));
    auto const message = msg::parse_from_plugin(json);
    REQUIRE(message);
    auto const heard = apply_change(std::get<msg::HolesSince>(*message), known);
    REQUIRE(heard);
    CHECK(*heard == next);
    known = *heard;
  }
}

TEST_CASE("a snapshot that has not changed takes little") {
  Snapshot s;
  s.kinds.emplace_back();
  for (int i = 0; i < 10000; ++i)
    s.holes.push_back({"n" + std::to_string(i), 0, false, {}, 0, 1});
  auto const frame = msg::to_json(msg::FromPlugin(make_change(s, s))).dump();
  CHECK(frame.size() < 1000);
}

TEST_CASE("a change of another snapshot is refused, and says of which list") {
  Snapshot s;
  s.kinds.emplace_back();
  s.holes.push_back({"n1", 0, false, {}, 0, 1});
  auto const change = make_change(s, s);
  auto const heard = apply_change(change, Snapshot{});
  REQUIRE(!heard);
  CHECK(heard.error().message ==
        "HolesSince.kinds: entries 0 to 1 of a list of 0");
  auto other = s;
  other.kinds.clear();
  auto const without_kind = apply_change(make_change(other, s), s);
  REQUIRE(!without_kind);
  CHECK(without_kind.error().message.find("node n1 is of kind 0") !=
        std::string::npos);
}

}  // namespace
}  // namespace gleaner::proto

// SPDX-License-Identifier: Apache-2.0
/// When each part of a node has to be back.
#include "daemon/decisions/part_ends.hh"

#include "test/unit/catch.hh"

namespace gleaner::daemon {
namespace {

Resources gpus(int count) {
  return {2 * count, 1000 * count, count ? Gres{{"gpu", count}} : Gres{}};
}

NodeUse use(JobId job, int gpu_count, TimeS time_s) {
  return {job, gpus(gpu_count), false, time_s};
}
NodeUse whole(JobId job, TimeS time_s) { return {job, gpus(1), true, time_s}; }

/// A node of 4 GPUs, of which two are lent, by 101 and 102.
struct Look {
  SharedNode node;
  std::vector<PartOfNode> parts = {{gpus(1), true, 101}, {gpus(1), true, 102}};
  std::vector<NodeUse> waiting = {};
  Resources free = {};

  /// "500#7 -": the first part ends for job 7 at 500, the second does not.
  std::string ends() const {
    std::string text;
    for (auto const& end : part_ends(node, free, parts, waiting))
      text += (text.empty() ? "" : " ") +
              (end.end_s ? std::to_string(static_cast<int>(*end.end_s)) + "#" +
                               std::to_string(end.job)
                         : "-");
    return text;
  }
};

TEST_CASE("where nothing is planned and nobody waits no end is known") {
  Look look;
  look.node.running = {use(5, 2, 900)};
  CHECK(look.ends() == "- -");
}

TEST_CASE("a reservation ends all parts of its node") {
  Look look;
  look.node.reserved_s = 700;
  CHECK(look.ends() == "700#0 700#0");
}

TEST_CASE("a planned job ends the parts that it will need, and no other") {
  Look look;
  look.node.running = {use(5, 2, 900)};
  struct Row {
    NodeUse planned;
    char const* ends;
  };
  for (auto const& row : std::initializer_list<Row>{
           {use(7, 1, 900), "- -"},  // the running job leaves enough
           {use(7, 2, 900), "- -"},
           {use(7, 3, 900), "900#7 -"},
           {use(7, 4, 900), "900#7 900#7"},
           {use(7, 3, 860), "860#7 -"},  // rounded down by backfill
           {use(7, 1, 500), "500#7 -"},
           {use(7, 5, 900), "900#7 900#7"},  // nobody knows on what it starts
           {whole(7, 900), "900#7 900#7"},
           {whole(7, 500), "500#7 500#7"},
       }) {
    CAPTURE(row.planned.each.gres, row.planned.time_s);
    look.node.planned = {row.planned};
    CHECK(look.ends() == row.ends);
  }
}

TEST_CASE("planned jobs do not count on the same part twice") {
  Look look;
  look.node.planned = {use(7, 1, 500), use(8, 1, 600)};
  CHECK(look.ends() == "500#7 600#8");
}

TEST_CASE("what is free beside the parts comes first") {
  Look look;
  look.free = gpus(1);
  look.node.planned = {use(7, 1, 500)};
  CHECK(look.ends() == "- -");
}

TEST_CASE("a job that ends lets waiting ones start over leases, unplanned") {
  Look look;
  look.node.running = {use(5, 2, 900)};
  struct Row {
    int gpus;
    char const* ends;
  };
  for (auto const& row : std::initializer_list<Row>{
           {1, "- -"},  // it could start now: demand, not an end
           {2, "- -"},
           {3, "900#7 -"},
           {4, "900#7 900#7"},
           {5, "- -"},
       }) {
    CAPTURE(row.gpus);
    look.waiting = {use(7, row.gpus, 0)};
    CHECK(look.ends() == row.ends);
  }
}

TEST_CASE("of two ends the sooner counts; a job without a limit never ends") {
  Look look;
  look.node.running = {use(5, 1, 600), use(6, 1, 900)};
  look.waiting = {use(7, 3, 0)};
  CHECK(look.ends() == "600#7 600#7");
  look.node.running = {use(5, 1, 0), use(6, 1, 900)};
  CHECK(look.ends() == "900#7 900#7");
}

TEST_CASE("a waiting job that takes a node whole needs all to have ended") {
  Look look;
  look.node.running = {use(5, 1, 600), use(6, 1, 900)};
  look.waiting = {whole(7, 0)};
  CHECK(look.ends() == "900#7 900#7");
}

}  // namespace
}  // namespace gleaner::daemon

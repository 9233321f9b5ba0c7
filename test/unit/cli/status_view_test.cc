// SPDX-License-Identifier: Apache-2.0
/// What `gleaner status` shows.
#include "cli/status/status_view.hh"

#include <limits>

#include "cli/own_program.hh"
#include "test/unit/catch.hh"

namespace gleaner::cli {

namespace {

/// Four nodes: n1 lent to trainer 12, n2 offered to it, n3 idle, n4 busy.
msg::StatusReply a_status() {
  msg::StatusReply s;
  s.time_s = 1010;
  s.snapshot_s = 1009;
  s.mode = "on";
  s.policy = "exact";
  s.nodes_total = 4;
  msg::TrainerStatus t;
  t.job = 12;
  t.uid = 1000;
  t.name = "char_lm";
  t.nodes_max = 8;
  t.state = "running";
  t.nodes = {"n1"};
  t.generation = 3;
  t.step = 41;
  t.loss = 2.5;
  s.trainers = {t};
  s.leases = {{20, "n1", 12, "held", 1000, 1050},
              {0, "n2", 12, "offered", 1010, 0}};
  s.holes = {{"n1", true, 1050, ""},
             {"n2", false, 0, "job 17"},
             {"n3", false, 1130, ""}};
  return s;
}

std::string table() {
  return status_table(a_status(), [](Uid) { return "alice"; });
}

}  // namespace

TEST_CASE("the first line counts the nodes") {
  auto s = a_status();
  s.leases.pop_back();
  CHECK_THAT(status_table(s, [](Uid) { return ""; }),
             Catch::StartsWith("4 nodes: 1 lent, 2 idle, 1 with other jobs."));
}

TEST_CASE("weights and deadlines are shown where somebody has any") {
  CHECK_THAT(table(), !Catch::Contains("WEIGHT"));
  auto s = a_status();
  s.trainers[0].weight = 2.5;
  auto const shown = [&] { return status_table(s, [](Uid) { return ""; }); };
  CHECK_THAT(shown(), Catch::Contains("WEIGHT  DEADLINE  WHY NOT MORE"));
  CHECK_THAT(shown(), Catch::Contains("running  2.5     -"));
  s.trainers[0].deadline_s = 1010 + 1800;
  CHECK_THAT(shown(), Catch::Contains("in 30 min"));
  s.trainers[0].deadline_s = 1000;
  CHECK_THAT(shown(), Catch::Contains("10 s ago"));
}

TEST_CASE("a trainer is a row with its user's name") {
  CHECK_THAT(table(), Catch::Contains("char_lm") && Catch::Contains("alice") &&
                          Catch::Contains("1-8") && Catch::Contains("2.5000") &&
                          Catch::Contains("running"));
}

TEST_CASE("a trainer's row says why it has not more nodes") {
  CHECK_THAT(table(), Catch::Contains("running  -\n"));
  auto s = a_status();
  s.trainers[0].why = "no idle node";
  CHECK_THAT(status_table(s, [](Uid) { return ""; }),
             Catch::Contains("running  no idle node\n"));
}

TEST_CASE("a lease says how long it is held and when its hole ends") {
  CHECK_THAT(table(), Catch::Contains("10 s") && Catch::Contains("in 40 s"));
}

TEST_CASE("an idle node says when Slurm wants it") {
  CHECK_THAT(table(), Catch::Contains("n3    in 2 min"));
}

TEST_CASE("an idle node that is not lent says for whom it is kept") {
  CHECK_THAT(table(), Catch::Contains("n2    unknown    job 17"));
}

TEST_CASE("a loss that is no number yet is a dash") {
  auto s = a_status();
  s.trainers[0].loss = std::numeric_limits<double>::quiet_NaN();
  auto const text = status_table(s, [](Uid) { return "alice"; });
  CHECK_THAT(text, Catch::Contains("-     running"));
}

TEST_CASE("what is drained, and who observes, is said at the top") {
  auto s = a_status();
  s.drained = "n[3-4]";
  CHECK_THAT(status_table(s, [](Uid) { return ""; }),
             Catch::Contains("drained, not lent: n[3-4]"));
  s.drained = "all";
  s.mode = "observe";
  s.observed_by = "gleaner admin";
  s.lendable = 3;
  s.would_lend = 2;
  CHECK_THAT(status_table(s, [](Uid) { return ""; }),
             Catch::Contains("drained, not lent: all nodes") &&
                 Catch::Contains("nothing is lent (gleaner admin): of 3 nodes "
                                 "that could be, 2 would be"));
}

TEST_CASE("an old look at the cluster is pointed out") {
  auto s = a_status();
  s.snapshot_s = 900;
  CHECK_THAT(status_table(s, [](Uid) { return ""; }),
             Catch::Contains("last look at the cluster 110 s ago"));
}

TEST_CASE("the strip has a sign for each node") {
  StripWidths widths;
  CHECK(status_strip(a_status(), {"n1", "n2", "n3", "n4"}, 1000, Ink::plain,
                     &widths) == "   10 s  A a . #   A: 1 node, loss 2.50");
}

TEST_CASE("a waiting trainer says so in the strip") {
  auto s = a_status();
  s.leases.clear();
  s.trainers[0].nodes.clear();
  s.trainers[0].state = "parked";
  StripWidths widths;
  CHECK(status_strip(s, {"n1"}, 1000, Ink::plain, &widths) ==
        "   10 s  .   A: 0 nodes, loss 2.50, parked");
}

/// Trainer 12 has three parts of n1 and one of n2, n3 is idle; n4 is another
/// job's, as is what else there is of n2.
msg::StatusReply in_parts() {
  auto s = a_status();
  s.trainers[0].nodes = {"n1+0", "n1+1", "n1+10", "n2+1"};
  s.leases = {{20, "n1+0", 12, "held", 1000, 0},
              {21, "n1+1", 12, "held", 1000, 0},
              {22, "n1+10", 12, "offered", 1000, 0},
              {23, "n2+1", 12, "held", 1000, 0}};
  s.holes = {{"n1+0", true, 0, ""},  {"n1+1", true, 0, ""},
             {"n1+2", false, 0, ""}, {"n1+10", true, 0, ""},
             {"n2+0", false, 0, ""}, {"n2+1", true, 0, ""},
             {"n3", false, 0, ""}};
  return s;
}

TEST_CASE("a node that is lent in parts has a sign for each part") {
  StripWidths widths;
  auto const strip = [&](msg::StatusReply const& s) {
    return status_strip(s, {"n1", "n2", "n3", "n4"}, 1000, Ink::plain, &widths);
  };
  CHECK(strip(in_parts()) == "   10 s  AA.a .A . #   A: 4 parts, loss 2.50");
  auto s = in_parts();
  s.leases.pop_back();
  s.holes.erase(s.holes.begin() + 2, s.holes.end());  // jobs took what was left
  CHECK(strip(s) == "   10 s  AAa# ## # #   A: 4 parts, loss 2.50");
}

TEST_CASE("the first line counts parts apart from nodes") {
  CHECK_THAT(status_table(in_parts(), [](Uid) { return ""; }),
             Catch::StartsWith("4 nodes: 0 lent, 1 idle, 2 in parts (4 lent, "
                               "2 idle), 1 with other jobs."));
}

constexpr OwnProgram coordinator{"gleaner-coordinator", "runtime/coordinator"};

TEST_CASE("the coordinator is looked for beside gleaner first") {
  auto const paths =
      paths_of(coordinator, "", "/opt/bin", "/opt/libexec/gleaner");
  CHECK(paths.front() == "/opt/bin/gleaner-coordinator");
  CHECK(paths.back() == "/opt/libexec/gleaner/gleaner-coordinator");
}

TEST_CASE("GLEANER_LIBEXEC names the only place to look") {
  CHECK(paths_of(coordinator, "/x", "/opt/bin", "/opt/libexec") ==
        std::vector<std::string>{"/x/gleaner-coordinator"});
}

}  // namespace gleaner::cli

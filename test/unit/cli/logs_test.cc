// SPDX-License-Identifier: Apache-2.0
/// How the three kinds of log are read.
#include "cli/report/event_log.hh"
#include "cli/report/journal.hh"
#include "cli/report/rigid_log.hh"
#include "test/unit/catch.hh"

namespace gleaner::cli {

namespace {

TrainerHistory trainer_from(char const* text) {
  auto const trainer = parse_event_log(text);
  REQUIRE(trainer);
  return *trainer;
}

}  // namespace

TEST_CASE("an event log tells generations, steps and losses") {
  auto const t = trainer_from(
      R"({"t":1,"event":"start","job":12,"argv":["./a/char_lm"],"dataset_size":100}
{"t":2,"event":"generation","generation":3,"kind":"expand","from":1,"to":2,"nodes":["n1","n2"]}
{"t":3,"event":"step","generation":3,"step":1,"pass":0,"taken":[[0,32]],"samples_seen":32,"duration_s":0.1,"world":2}
{"t":3,"event":"log","step":1,"key":"loss","value":4.0,"n":24}
{"t":3,"event":"log","step":1,"key":"loss","value":2.0,"n":8}
{"t":4,"event":"resize","generation":3,"kind":"expand","from":1,"to":2,"prepare_s":0.5,"stall_s":0.04}
{"t":9,"event":"finish","code":0}
)");
  CHECK(t.job == 12);
  CHECK(t.name == "char_lm");
  CHECK(t.dataset_size == 100);
  REQUIRE(t.generations.size() == 1);
  CHECK(t.generations[0].nodes.to_string() == "n[1-2]");
  REQUIRE(t.losses.size() == 1);
  CHECK(t.losses[0].loss == 3.5);  // weighted by the samples of each member
  CHECK(t.resizes.at(0).stall_s == 0.04);
  CHECK(t.code == 0);
  CHECK(t.end_s == 9);
}

TEST_CASE("a log without its beginning tells who trains, and where") {
  auto const t = trainer_from(
      R"({"t":9,"event":"continued","job":12,"argv":["./a/char_lm"],"dataset_size":100,"step":6,"pass":1,"generation":{"t":2,"event":"generation","generation":3,"kind":"expand","from":1,"to":2,"nodes":["n1","n2"]},"nodes":{"n1":1,"n2":2}}
{"t":10,"event":"step","generation":3,"step":7,"pass":1,"taken":[[64,100]],"samples_seen":200,"duration_s":0.1,"world":2}
{"t":11,"event":"step","generation":3,"step":8,"pass":2,"taken":[[0,32]],"samples_seen":232,"duration_s":0.1,"world":2}
)");
  CHECK(t.job == 12);
  CHECK(t.name == "char_lm");
  CHECK(t.dataset_size == 100);
  REQUIRE(t.generations.size() == 1);
  CHECK(t.generations[0].t_s == 9);
  CHECK(t.generations[0].nodes.to_string() == "n[1-2]");
  // Of passes 0 and 1 something is not known; nothing of it is missing.
  CHECK(t.audit.findings(100).missing == 0);
}

TEST_CASE("a log whose parts are all there is read as one") {
  auto const t = trainer_from(
      R"({"t":1,"event":"start","job":12,"argv":["./a/char_lm"]}
{"t":2,"event":"generation","generation":3,"kind":"expand","from":1,"to":2,"nodes":["n1","n2"]}
{"t":3,"event":"continued","job":12,"argv":["./a/char_lm"],"dataset_size":100,"step":6,"pass":1,"generation":{"t":2,"event":"generation","generation":3,"kind":"expand","from":1,"to":2,"nodes":["n1","n2"]}}
{"t":4,"event":"step","generation":3,"step":1,"pass":0,"taken":[[8,32]],"samples_seen":24,"duration_s":0.1,"world":2}
)");
  CHECK(t.generations.size() == 1);
  CHECK(t.audit.findings(100).missing == 8);
}

TEST_CASE("nodes may be written as Slurm writes them") {
  auto const t = trainer_from(
      R"({"t":2,"event":"generation","generation":1,"kind":"start","from":0,"to":3,"nodes":"n[1-3]"}
)");
  CHECK(t.generations[0].nodes.size() == 3);
}

TEST_CASE("a rollback takes back steps and losses") {
  auto const t = trainer_from(
      R"({"t":3,"event":"step","step":1,"pass":0,"taken":[[0,8]],"samples_seen":8,"duration_s":0.1,"world":2}
{"t":3,"event":"log","step":1,"key":"loss","value":4.0,"n":8}
{"t":4,"event":"step","step":2,"pass":0,"taken":[[8,16]],"samples_seen":16,"duration_s":0.1,"world":2}
{"t":4,"event":"log","step":2,"key":"loss","value":3.0,"n":8}
{"t":5,"event":"rollback","to_step":1,"samples_seen":8,"path":"x"}
)");
  CHECK(t.steps.size() == 1);
  CHECK(t.losses.size() == 1);
  CHECK(t.audit.findings(100).samples == 8);
  REQUIRE(t.undone.size() == 1);
  CHECK(t.undone[0].from_step == 1);
  CHECK(t.undone[0].to_step == 2);
  CHECK(t.undone[0].span == Span{3.9, 4});
  REQUIRE(t.undone[0].losses.size() == 1);
  CHECK(t.undone[0].losses[0].loss == 3);
}

TEST_CASE("a rollback to the last step undoes nothing") {
  auto const t = trainer_from(
      R"({"t":3,"event":"step","step":1,"pass":0,"taken":[[0,8]],"samples_seen":8,"duration_s":0.1,"world":2}
{"t":5,"event":"rollback","to_step":1,"samples_seen":8,"path":"x"}
)");
  CHECK(t.undone.empty());
}

TEST_CASE("a step's loader wait is that of the member that waited longest") {
  struct Row {
    char const* rule;
    std::string text;
    std::vector<std::pair<msg::Step, double>> waits_ms;
  };
  auto const wait = [](char const* rest) {
    return R"({"t":3,"event":"log","key":"loader_wait_ms",)" +
           std::string(rest) + "}\n";
  };
  std::string const loss =
      R"({"t":3,"event":"log","step":1,"key":"loss","value":4.0,"max":9,"n":8})"
      "\n";
  std::string const rollback =
      R"({"t":5,"event":"rollback","to_step":1,"samples_seen":8,"path":"x"})"
      "\n";
  auto const first = wait(R"("step":1,"value":2.5,"max":4,"n":2)");
  auto const second = wait(R"("step":2,"value":1,"max":1.5,"n":2)");
  Row const rows[] = {
      {"the largest, not the mean", first + second, {{1, 4}, {2, 1.5}}},
      {"members that are told one by one, in any order",
       wait(R"("step":1,"value":7,"max":7,"n":1)") +
           wait(R"("step":1,"value":2,"max":2,"n":1)"),
       {{1, 7}}},
      {"without the largest, the mean",
       wait(R"("step":1,"value":3,"n":1)"),
       {{1, 3}}},
      {"a rollback takes waits back", first + second + rollback, {{1, 4}}},
      {"what is computed again counts as it was then",
       first + second + rollback +
           wait(R"("step":2,"value":0.5,"max":0.75,"n":2)"),
       {{1, 4}, {2, 0.75}}},
      {"what is no number is passed over",
       wait(R"("step":1,"value":null,"max":null,"n":1)"),
       {}},
      {"other values are none", loss, {}},
  };
  for (auto const& row : rows) {
    INFO(row.rule);
    std::vector<std::pair<msg::Step, double>> waits_ms;
    for (auto const& each : trainer_from(row.text.c_str()).loader_waits)
      waits_ms.emplace_back(each.step, each.max_ms);
    CHECK(waits_ms == row.waits_ms);
  }
}

TEST_CASE("nobody trains between the loss of all and the next generation") {
  auto const t = trainer_from(
      R"({"t":2,"event":"generation","generation":1,"kind":"start","from":0,"to":1,"nodes":"n1"}
{"t":4,"event":"rollback","to_step":0,"samples_seen":0,"path":""}
{"t":7,"event":"generation","generation":3,"kind":"start","from":0,"to":1,"nodes":"n1"}
{"t":9,"event":"finish","code":0}
)");
  CHECK(training_on(t, "n1") == Spans{{2, 4}, {7, 9}});
  CHECK(t.generations[1].kind == "loss");
}

TEST_CASE(
    "what is reported on is all that the logs tell of, or what was asked") {
  struct Row {
    char const* rule;
    Span asked;
    std::vector<std::string> nodes;
    std::vector<Lease> leases;
    Span window;
    std::vector<std::string> all;
  };
  Row const rows[] = {
      {"a training that never changes", {0, 0}, {}, {}, {2, 9}, {"n1"}},
      {"it, and a lease that began before",
       {0, 0},
       {},
       {{1, 5, "n3", {1, 4}, ""}},
       {1, 9},
       {"n1", "n3"}},
      {"a beginning that was given", {3, 0}, {}, {}, {3, 9}, {"n1"}},
      {"an end that was given", {0, 5}, {}, {}, {2, 5}, {"n1"}},
      {"nodes that were given", {0, 0}, {"n8", "n7"}, {}, {2, 9}, {"n8", "n7"}},
  };
  auto const trainer = trainer_from(
      R"({"t":2,"event":"generation","generation":1,"kind":"start","from":0,"to":1,"nodes":"n1"}
{"t":9,"event":"finish","code":0}
)");
  for (auto const& row : rows) {
    INFO(row.rule);
    History history;
    history.trainers = {trainer};
    history.window = row.asked;
    history.nodes = row.nodes;
    history.leases = row.leases;
    complete(history);
    CHECK(history.window == row.window);
    CHECK(history.nodes == row.all);
  }
}

TEST_CASE("a line still being written is passed over") {
  CHECK(trainer_from("{\"t\":1,\"event\":\"x\"}\n{\"t\":2,\"ev").end_s == 1);
}

TEST_CASE("what happened after the time in question is passed over") {
  auto const t = parse_event_log(
      R"({"t":1,"event":"start","job":12}
{"t":9,"event":"error","what":"cancelled"}
{"t":9,"event":"finish","code":143}
)",
      5);
  REQUIRE(t);
  CHECK(t->errors.empty());
  CHECK_FALSE(t->code);
  CHECK(t->end_s == 5);  // the training went on until then
}

TEST_CASE("unknown events are passed over, broken lines are named") {
  CHECK(parse_event_log("{\"t\":1,\"event\":\"new_in_2030\"}\n"));
  auto const bad = parse_event_log("{\"t\":1,\"event\":\"x\"}\nnonsense\n");
  REQUIRE_FALSE(bad);
  CHECK_THAT(bad.error().message, Catch::Contains("line 2"));
}

TEST_CASE("a rigid job is made of three lines, in any order") {
  auto const jobs = parse_rigid_log(
      R"({"event":"start","job":"b","t":12.5,"nodelist":"n[3-4]"}
{"event":"submit","job":"b","t":12,"nodes":2}
{"event":"submit","job":"a","t":10,"nodes":1}
{"event":"end","job":"b","t":20,"code":3}
)");
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 2);
  CHECK(jobs->at(0).name == "a");
  CHECK_FALSE(jobs->at(0).start_s);
  CHECK(jobs->at(1).nodes.to_string() == "n[3-4]");
  CHECK(jobs->at(1).end_s == 20);
  CHECK(jobs->at(1).code == 3);
}

TEST_CASE("a bad line of the rigid jobs' record is named") {
  for (auto const* text :
       {"{}", "[", R"({"event":"rest","job":"a","t":1})",
        R"({"event":"start","job":"a","t":1,"nodelist":"n[1-"})"}) {
    auto const jobs = parse_rigid_log(text);
    REQUIRE_FALSE(jobs);
    CHECK_THAT(jobs.error().message, Catch::Contains("line 1"));
  }
}

TEST_CASE("the journal pairs the beginning and the end of each lease") {
  LeaseLedger ledger;
  ledger.event(1, "lease_held", {{"job", 7}, {"node", "n1"}, {"trainer", 5}});
  ledger.event(2, "lease_held", {{"job", 8}, {"node", "n2"}, {"trainer", 5}});
  ledger.event(3, "arrival", {{"job", 9}, {"nodes", 1}});
  ledger.event(4, "lease_ended", {{"job", 7}, {"cause", "arrival"}});
  ledger.event(5, "lease_ended", {{"job", 99}, {"cause", "lost"}});
  auto const leases = ledger.leases(10);
  REQUIRE(leases.size() == 2);
  CHECK(leases[0].held == Span{1, 4});
  CHECK(leases[0].cause == "arrival");
  CHECK(leases[1].held == Span{2, 10});  // still held
}

TEST_CASE("a lease told again after a restart keeps its beginning") {
  LeaseLedger ledger;
  ledger.event(1, "lease_held", {{"job", 7}, {"node", "n1"}, {"trainer", 5}});
  ledger.event(6, "lease_held", {{"job", 7}, {"node", "n1"}, {"trainer", 5}});
  CHECK(ledger.leases(10).at(0).held == Span{1, 10});
}

}  // namespace gleaner::cli

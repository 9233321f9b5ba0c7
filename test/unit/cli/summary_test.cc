// SPDX-License-Identifier: Apache-2.0
/// What each figure of the report means.
#include "cli/report/summary.hh"

#include <algorithm>
#include <functional>

#include "cli/report/timeline.hh"
#include "cli/report/timeline_title.hh"
#include "test/unit/catch.hh"

namespace gleaner::cli {

namespace {

RigidJob rigid(char const* name, char const* nodes, double submit_s,
               double start_s, double end_s) {
  auto const set = NodeSet::parse(nodes);
  return {name, int(set->size()), submit_s, start_s, end_s, *set, 0};
}

Generation generation(double t_s, char const* kind, int from,
                      char const* nodes) {
  auto const set = NodeSet::parse(nodes);
  return {t_s, 1, kind, from, int(set->size()), *set};
}

/// 100 s of two nodes.  n1: a rigid job from 40 to 60, n2: idle throughout.
/// A trainer holds both around the job, and trains from 2 s after each lease.
History a_run() {
  History h;
  h.window = {0, 100};
  h.nodes = {"n1", "n2"};
  h.rigid = {rigid("r1", "n1", 39.5, 40, 60)};
  h.rigid_without = {rigid("r1", "n1", 39.5, 39.75, 60)};
  h.leases = {{1, 9, "n1", {0, 40}, ""},
              {2, 9, "n2", {0, 100}, ""},
              {3, 9, "n1", {60, 100}, ""}};
  TrainerHistory t;
  t.job = 9;
  t.dataset_size = 1000;
  t.generations = {generation(2, "start", 0, "n[1-2]"),
                   generation(39, "shrink", 2, "n2"),
                   generation(62, "expand", 1, "n[1-2]")};
  t.resizes = {{39, "shrink", 2, 1, 0.1, 0.05},
               {62, "expand", 1, 2, 0.6, 0.09}};
  t.steps = {{99, 1, 32, 0.1, 2}};
  t.audit.step(1, 0, {{0, 32}});
  t.losses = {{3, 1, 4.0}, {90, 2, 2.0}};
  t.end_s = 100;
  h.trainers = {t};
  return h;
}

}  // namespace

TEST_CASE("idle time is the time without rigid jobs") {
  CHECK(summarise(a_run()).idle_node_s == 40 + 40 + 100);
}

TEST_CASE("holes that are too short to lend do not count") {
  auto h = a_run();
  h.rigid->push_back(rigid("r2", "n1", 64, 64, 100));  // leaves 4 s after r1
  CHECK(summarise(h).idle_node_s == 40 + 100);
}

TEST_CASE("harvested is leased and training at the same time, in holes") {
  auto const s = summarise(a_run());
  // n1: 2-39 and 62-100, n2: 2-100.
  CHECK(s.harvested_node_s == 37 + 38 + 98);
  CHECK(s.harvest_ratio == Approx(173.0 / 180));
  CHECK(s.leased_node_s == 40 + 100 + 40);
}

TEST_CASE("training without a lease is not harvested") {
  auto h = a_run();
  h.leases->clear();
  CHECK(summarise(h).harvested_node_s == 0);
  CHECK(summarise(h).trained_node_s == 173);
}

TEST_CASE("what lies outside the window does not count") {
  auto h = a_run();
  h.window = {0, 50};
  CHECK(summarise(h).idle_node_s == 40 + 50);
  CHECK(summarise(h).harvested_node_s == 37 + 48);
}

TEST_CASE("stalls are those of resizes between some and some") {
  auto h = a_run();
  h.trainers[0].resizes.push_back({80, "park", 2, 0, 0, 9});
  auto const s = summarise(h);
  CHECK(s.stall_ms.n == 2);
  CHECK(s.stall_ms.p50 == Approx(50));
  CHECK(s.stall_ms.p99 == Approx(90));
}

TEST_CASE("waiting at zero nodes is neither an expand nor a shrink") {
  auto h = a_run();
  h.trainers[0].generations.push_back(generation(90, "park", 2, ""));
  h.trainers[0].generations.push_back(generation(95, "resume", 0, "n1"));
  auto const s = summarise(h);
  CHECK(s.expands == 1);
  CHECK(s.shrinks == 1);
  CHECK(s.trainers[0].parks == 1);
}

TEST_CASE("waiting for samples is told of trainings that log it") {
  struct Row {
    char const* rule;
    std::vector<double> durations_s;  ///< of steps 1, 2, ...
    std::vector<LoaderWait> waits;
    std::optional<LoaderWaits> figures;
    char const* text;  ///< below the training's line; "": nothing
  };
  Row const rows[] = {
      {"median and 99th percentile over steps, and their share of the time",
       {.1, .2, .1, .1},
       {{1, 20}, {2, 0.5}, {3, 1}, {4, 3.5}},
       LoaderWaits{{1, 20, 4}, .05},
       "p50 1.0 ms, p99 20.0 ms a step, 5.0 % of the steps' time"},
      {"steps without a wait are in neither sum",
       {.1, .1, .7},
       {{2, 25}},
       LoaderWaits{{25, 25, 1}, .25},
       "p50 25.0 ms, p99 25.0 ms a step, 25.0 % of the steps' time"},
      {"a step that is not recorded does not count",
       {.1},
       {{1, 10}, {2, 90}},
       LoaderWaits{{10, 10, 1}, .1},
       "p50 10.0 ms, p99 10.0 ms a step, 10.0 % of the steps' time"},
      {"no wait is told, too",
       {.1, .1},
       {{1, 0}, {2, 0}},
       LoaderWaits{{0, 0, 2}, 0},
       "p50 0.0 ms, p99 0.0 ms a step, 0.0 % of the steps' time"},
      {"where none is logged, nothing is said", {.1, .1}, {}, {}, ""},
  };
  for (auto const& row : rows) {
    INFO(row.rule);
    auto h = a_run();
    h.trainers[0].steps.clear();
    for (auto const duration_s : row.durations_s) {
      auto const step = msg::Step(h.trainers[0].steps.size() + 1);
      h.trainers[0].steps.push_back({99, step, 32, duration_s, 2});
    }
    h.trainers[0].loader_waits = row.waits;
    auto const summary = summarise(h);
    auto const& found = summary.trainers[0].loader_waits;
    auto const json = to_json(summary)["trainers"][0];
    REQUIRE(found.has_value() == row.figures.has_value());
    CHECK(json.contains("loader_wait_ms") == row.figures.has_value());
    CHECK(json.contains("loader_wait_share") == row.figures.has_value());
    if (!row.figures) {
      CHECK_THAT(to_text(summary), !Catch::Contains("waited for samples"));
      continue;
    }
    CHECK(found->ms.p50 == row.figures->ms.p50);
    CHECK(found->ms.p99 == row.figures->ms.p99);
    CHECK(found->ms.n == row.figures->ms.n);
    CHECK(found->share == Approx(row.figures->share));
    CHECK(json["loader_wait_ms"]["p99"] == row.figures->ms.p99);
    CHECK(json["loader_wait_share"].get<double>() ==
          Approx(row.figures->share));
    CHECK_THAT(to_text(summary),
               Catch::Contains(std::string("left out\n                  "
                                           "waited for samples ") +
                               row.text + "\n"));
  }
}

TEST_CASE("what no log tells is unknown, not 0") {
  struct Row {
    char const* missing;
    std::function<void(History&)> forget;
    std::vector<char const*> unknown;  ///< keys of summary.json
    char const* text;
  };
  Row const rows[] = {
      {"the other jobs",
       [](History& h) { h.rigid.reset(); },
       {"idle_node_s", "harvested_node_s", "harvest_ratio"},
       "idle node time    unknown (no record of the other jobs)"},
      {"the journal",
       [](History& h) { h.leases.reset(); },
       {"leased_node_s", "harvested_node_s", "harvest_ratio"},
       "harvested         unknown (no record of the leases)"},
      {"the event logs",
       [](History& h) { h.trainers.clear(); },
       {},
       "trainings         unknown (no event log)"},
  };
  for (auto const& row : rows) {
    INFO(row.missing);
    auto h = a_run();
    row.forget(h);
    auto const summary = summarise(h);
    auto const json = to_json(summary);
    for (auto const* key :
         {"idle_node_s", "leased_node_s", "harvested_node_s", "harvest_ratio"})
      CHECK(json[key].is_null() ==
            std::any_of(row.unknown.begin(), row.unknown.end(),
                        [&](std::string k) { return k == key; }));
    CHECK_THAT(to_text(summary), Catch::Contains(row.text));
    CHECK_THAT(timeline_svg(h, summary), Catch::EndsWith("</svg>\n"));
  }
}

TEST_CASE("a cluster without other jobs is idle, one without record unknown") {
  auto h = a_run();
  h.rigid->clear();
  CHECK(summarise(h).idle_node_s == 200);
  h.rigid.reset();
  CHECK_FALSE(summarise(h).idle_node_s);
}

TEST_CASE("work that a rollback undid is told and is no harvest") {
  auto h = a_run();
  auto& t = h.trainers[0];
  t.undone = {{{80, 90}, 10, 30, {}}};
  t.audit.step(2, 0, {{32, 64}});
  t.audit.rollback(1);
  auto const s = summarise(h);
  CHECK(s.undone_node_s == 2 * 10);
  CHECK(s.harvested_node_s == 37 + 38 + 98 - 2 * 10);
  CHECK(s.trained_node_s == 173);
  CHECK(s.trainers[0].rollbacks == 1);
  CHECK(s.trainers[0].undone_steps == 20);
  CHECK(s.trainers[0].undone_samples == 32);
  CHECK(to_json(s)["trainers"][0]["undone_steps"] == 20);
  CHECK_THAT(to_text(s),
             Catch::Contains("20 steps (32 samples) undone by 1 rollback"));
  auto const svg = timeline_svg(h, s);
  for (auto const* part : {"class=\"undone\"", "steps of A undone later",
                           "20 steps undone by 1 rollback"})
    CHECK_THAT(svg, Catch::Contains(part));
}

TEST_CASE("the title says only what is known") {
  auto h = a_run();
  CHECK(timeline_title(summarise(h)).others ==
        "other jobs start 0.25 s later than without Gleaner (median), 0.25 s "
        "later at worst, of 1");
  h.rigid_without.clear();
  CHECK_THAT(timeline_title(summarise(h)).others,
             Catch::Contains("start after 0.50 s (p50)"));
  h.rigid.reset();
  CHECK(timeline_title(summarise(h)).others == "other jobs: unknown");
  h.trainers.clear();
  auto const title = timeline_title(summarise(h));
  CHECK(title.headline == "Leases of the idle time of 2 Slurm nodes");
  CHECK_THAT(title.trained, Catch::Contains("180 node-seconds lent"));
  CHECK_THAT(title.trained, !Catch::Contains("every sample"));
}

TEST_CASE("the title says when other jobs start earlier") {
  auto h = a_run();
  h.rigid_without[0].start_s = 41;
  CHECK_THAT(timeline_title(summarise(h)).others,
             Catch::StartsWith("other jobs start 1.00 s earlier than"));
}

TEST_CASE("rigid jobs are compared with themselves without Gleaner") {
  auto const s = summarise(a_run());
  CHECK(s.rigid_delay_with_s.p50 == 0.5);
  CHECK(s.rigid_delay_without_s.p50 == 0.25);
  CHECK(s.rigid_delay_added_s.p99 == 0.25);
  CHECK(s.rigid_delay_added_worst_s == 0.25);
}

TEST_CASE("a good run leaves nothing unmet") {
  CHECK(unmet(summarise(a_run()), 1).empty());
}

TEST_CASE("each thing that went wrong is said") {
  auto h = a_run();
  auto const says = [&](char const* what) {
    auto const all = unmet(summarise(h), 1);
    return all.size() == 1 && all[0].find(what) != std::string::npos;
  };
  SECTION("a rigid job failed") {
    h.rigid->at(0).code = 1;
    CHECK(says("rigid job r1 ended with status 1"));
  }
  SECTION("a rigid job never started") {
    h.rigid_without[0].start_s.reset();
    CHECK(says("r1 (without Gleaner) never started"));
  }
  SECTION("a training did not learn") {
    h.trainers[0].losses[1].loss = 4.5;
    CHECK(says("did not learn"));
  }
  SECTION("a sample was seen twice") {
    h.trainers[0].audit.step(2, 0, {{31, 40}});
    CHECK(says("1 samples twice"));
  }
  SECTION("a sample was left out") {
    h.trainers[0].audit.step(2, 0, {{34, 40}});
    CHECK(says("left out 2 samples"));
  }
  SECTION("it was never shrunk") {
    h.trainers[0].generations.erase(h.trainers[0].generations.begin() + 1);
    CHECK(says("shrank only 0 times"));
  }
  SECTION("the training ended badly") {
    h.trainers[0].code = 7;
    CHECK(says("training 9 ended with status 7"));
  }
  SECTION("the training reported an error") {
    h.trainers[0].errors = {"disk full"};
    CHECK(says("disk full"));
  }
}

TEST_CASE("a failure told by the runner of it all counts") {
  auto h = a_run();
  h.failures = {"gleanerd died"};
  CHECK(unmet(summarise(h), 1) == h.failures);
}

TEST_CASE("summary.json has the figures a run is judged by") {
  auto const json = to_json(summarise(a_run()));
  for (auto const* key :
       {"expands", "shrinks", "generations", "stall_ms", "idle_node_s",
        "harvested_node_s", "harvest_ratio", "rigid_start_delay_s", "failures"})
    CHECK(json.contains(key));
  for (auto const* key : {"samples", "passes", "loss_first", "loss_last",
                          "duplicate_samples", "missing_samples"})
    CHECK(json["trainers"][0].contains(key));
  CHECK(json["rigid_start_delay_s"]["with"].contains("p99"));
}

/// n1 was lent in two parts beside a rigid job; n2 whole.
History a_run_in_parts() {
  auto h = a_run();
  h.nodes = {"n1", "n2"};
  h.leases = {{1, 9, "n1+0", {0, 40}, ""},
              {2, 9, "n2", {0, 100}, ""},
              {3, 9, "n1+1", {10, 100}, ""}};
  h.trainers[0].generations = {generation(2, "start", 0, "n1+0,n2"),
                               generation(12, "expand", 2, "n1+[0-1],n2"),
                               generation(39, "shrink", 3, "n1+1,n2")};
  complete(h);
  return h;
}

TEST_CASE("the parts of a node follow it in the report") {
  using Rows = std::vector<std::string>;
  CHECK(a_run_in_parts().nodes == Rows{"n1", "n1+0", "n1+1", "n2"});
  auto h = a_run_in_parts();
  h.nodes.clear();
  complete(h);
  CHECK(h.nodes == Rows{"n1", "n1+0", "n1+1", "n2"});
}

TEST_CASE("a part is lent and trains like a node; what is idle is unknown") {
  auto const s = summarise(a_run_in_parts());
  CHECK(s.nodes == 2);
  CHECK(s.leased_node_s == 40 + 100 + 90);
  CHECK(s.trained_node_s == 37 + 98 + 88);
  CHECK_FALSE(s.idle_node_s);
  CHECK_FALSE(s.harvest_ratio);
  CHECK_THAT(to_text(s),
             Catch::Contains("unknown (which part of a node") &&
                 Catch::Contains("230 node-seconds, of which 223 trained"));
  CHECK(to_json(s)["in_parts"] == true);
  CHECK_FALSE(summarise(a_run()).in_parts);
}

TEST_CASE("the timeline has a row for each part, and one for other jobs") {
  auto const h = a_run_in_parts();
  auto const svg = timeline_svg(h, summarise(h));
  for (auto text : {">n1<", ">n1+0<", ">n1+1<", "a part counted like a node",
                    "nodes and parts of nodes that train"})
    CHECK_THAT(svg, Catch::Contains(text));
}

TEST_CASE("the jobs without Gleaner are shown at the times of those with it") {
  auto h = a_run();
  h.rigid_without = {rigid("r1", "n1", 539.5, 540, 560)};
  auto const beside = without_beside(h);
  REQUIRE(beside.size() == 1);
  CHECK(beside[0].start_s == 40);
  CHECK(beside[0].end_s == 60);
  CHECK_THAT(
      timeline_svg(h, summarise(h)),
      Catch::Contains("the same jobs without Gleaner: 180 node-seconds"));
  h.rigid_without[0].name = "another";
  CHECK(without_beside(h).empty());
  CHECK(timeline_svg(h, summarise(h)).find("without Gleaner: ") ==
        std::string::npos);
}

TEST_CASE("the timeline shows every node, job and training") {
  auto const h = a_run();
  auto const svg = timeline_svg(h, summarise(h));
  CHECK_THAT(svg, Catch::StartsWith("<svg") && Catch::EndsWith("</svg>\n"));
  for (auto const* part : {">n1<", ">n2<", "r1 on n1", "lent to A",
                           "training A", "96 % of 180 idle node-seconds"})
    CHECK_THAT(svg, Catch::Contains(part));
}

TEST_CASE("a timeline of nothing is still a picture") {
  History h;
  h.window = {0, 10};
  CHECK_THAT(timeline_svg(h, summarise(h)), Catch::EndsWith("</svg>\n"));
}

}  // namespace gleaner::cli

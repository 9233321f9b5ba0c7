// SPDX-License-Identifier: Apache-2.0
/// What happens at a change of the holes, and in which order.
#include "sim/engine.hh"

#include "test/unit/sim/cases.hh"

namespace gleaner::sim {
namespace {

/// A run under lump rules; equal_share gives a lone trainer all it can use.
Outcome run(std::string_view recorded, std::vector<Training> trainings,
            EngineOptions options = {}, std::string_view policy = "exact") {
  options.handovers = EngineOptions::Handovers::record;
  RecordedHoles holes(events(recorded));
  auto const rules = lump_rules({});
  auto const allocator = alloc::make_allocator(policy);
  REQUIRE(allocator);
  return Engine(trainings, holes, **allocator, *rules, options).run();
}

/// "0:a=0 5:a=-1": who gets which node when.
std::string story(Outcome const& outcome, std::string_view names) {
  std::string text;
  for (auto const& h : outcome.handovers)
    text += (text.empty() ? "" : " ") + std::to_string(int(h.t_s)) + ":" +
            names[h.node] + "=" + std::to_string(h.training);
  return text;
}

TEST_CASE("a training works while its node is idle, and loses when it leaves") {
  auto const outcome = run("0 a+, 10 a-", {training("x", 1, 1000)});
  CHECK(outcome.made_samples == 10 - 2);  // a loss costs 2 s
  CHECK(outcome.preempts == 1);
  CHECK(outcome.preempt_cost == 2);
  CHECK(outcome.rescales == 1);
  CHECK(outcome.length_s == 10);
  CHECK(outcome.idle_node_s == 10);
  CHECK(outcome.used_node_s == 10);
  CHECK(outcome.finished == 0);
}

TEST_CASE("a training ends exactly: the surplus of the interval is cut") {
  auto const outcome = run("0 a+, 10 b+, 20 a-", {training("x", 1, 7)});
  CHECK(outcome.made_samples == 7);
  CHECK(outcome.finished == 1);
  CHECK(outcome.length_s == 10);  // and the run with it: nobody is left
}

TEST_CASE("a leaver is taken before a joiner is handed out") {
  auto const outcome = run("0 a+, 50 a- b+, 90 b-", {training("x", 2, 1000)});
  CHECK(story(outcome, "ab") == "0:a=0 50:a=-1 50:b=0 90:b=-1");
}

TEST_CASE("a finished training frees its nodes in time for the next one") {
  auto const outcome = run("0 a+, 10 b+, 20 a-",
                           {training("x", 1, 5), training("y", 2, 1000)}, {1});
  CHECK(story(outcome, "ab").substr(0, 31) ==
        "0:a=0 10:a=-1 10:a=1 10:b=1 20:");
}

TEST_CASE("trainings are admitted as they come, up to the number allowed") {
  auto x = training("x", 1, 1000), y = x, z = x;
  y.id = "y";
  z.id = "z";
  z.submit_s = 5;
  auto const one = run("0 a+ b+ c+, 10 a-, 20 b-", {x, y, z}, {1});
  CHECK(one.intervals[1].trainers == 1);
  auto const three = run("0 a+ b+ c+, 10 a-, 20 b-", {x, y, z}, {3});
  CHECK(three.intervals[1].trainers == 2);  // z is not there yet
  CHECK(three.intervals[2].trainers == 2);  // on b and c: x or y lost a
  CHECK(three.intervals[2].waiting == 1);
}

TEST_CASE("the run can be ended before its events do") {
  auto const outcome =
      run("0 a+, 10 a-", {training("x", 1, 1000)}, {10, 120, 6});
  CHECK(outcome.length_s == 6);
  CHECK(outcome.made_samples == 6);
  CHECK(outcome.preempts == 0);
}

TEST_CASE("idle nodes nobody can use are idle all the same") {
  auto const outcome = run("0 a+ b+ c+, 10 a-", {training("x", 1, 1000)});
  CHECK(outcome.idle_node_s == 30);
  CHECK(outcome.used_node_s == 10);
}

TEST_CASE("samples are counted as node time, too") {
  auto x = training("x", 1, 1000);
  x.speed = {0, 50};
  x.one_node_rate = 50;
  x.shrink_s = 0;
  auto const outcome = run("0 a+, 10 a-", {x});
  CHECK(outcome.made_samples == 500);
  CHECK(outcome.made_node_s == 10);
}

TEST_CASE("under phase rules a training ends when its work is done") {
  RecordedHoles holes(events("0 a+, 100 a-"));
  auto const rules = phase_rules({2, 0, 1, 1});
  auto const allocator = alloc::make_allocator("exact");
  std::vector<Training> const trainings{training("x", 1, 7),
                                        training("y", 1, 5)};
  auto const outcome = Engine(trainings, holes, **allocator, *rules, {1}).run();
  CHECK(outcome.finished == 2);
  CHECK(outcome.length_s == Approx(2 + 7 + 2 + 5));
}

TEST_CASE("under phase rules a run ends with its recording") {
  RecordedHoles holes(events("0 a+ b+, 100 b-"));
  auto const rules = phase_rules({2, 0, 1, 1});
  auto const allocator = alloc::make_allocator("exact");
  std::vector<Training> const trainings{training("x", 1, 1000)};
  auto const outcome = Engine(trainings, holes, **allocator, *rules, {1}).run();
  CHECK(outcome.length_s == 100);
  CHECK(outcome.made_samples == Approx(98));
}

/// Two trainings of which one gains nothing from a second node.
Outcome learning(KnowledgeOptions::Of of) {
  RecordedHoles holes(events("0 a+ b+ c+ d+, 100 e+, 5000 a-"));
  auto const rules = phase_rules({2, 0, 1, 1});
  auto const allocator = alloc::make_allocator("gleaner");
  auto good = training("x", 4, 1e6), bad = training("y", 4, 1e6);
  bad.speed = {0, 1, 1, 1, 1};
  std::vector<Training> const trainings{bad, good};
  EngineOptions options{2};
  options.knowledge.of = of;
  return Engine(trainings, holes, **allocator, *rules, options).run();
}

/// What is made by one that has 6 samples a step, beside a linear one.
double beside_a_staircase(std::uint64_t told_batch) {
  RecordedHoles holes(events("0 a+ b+ c+ d+ e+ f+ g+ h+, 20000 a-"));
  auto const rules = phase_rules({2, 0, 1, 1});
  auto const allocator = alloc::make_allocator("gleaner");
  auto stairs = training("x", 8, 1e9), line = training("y", 8, 1e9);
  stairs.speed = {0, 1, 2, 3, 3, 3, 6, 6, 6};
  for (std::size_t k = 0; k < line.speed.size(); ++k)
    line.speed[k] = std::pow(double(k), 0.8);
  stairs.batch = told_batch;
  std::vector<Training> const trainings{stairs, line};
  EngineOptions options{2};
  options.knowledge.of = KnowledgeOptions::Of::advisor;
  options.knowledge.profile_share = 0;
  return Engine(trainings, holes, **allocator, *rules, options)
      .run()
      .made_node_s;
}

TEST_CASE("an advisor that is told the batch expects its staircase") {
  CHECK(beside_a_staircase(6) > 1.22 * beside_a_staircase(0));
}

TEST_CASE("an advisor makes up for most of what a guess costs") {
  using Of = KnowledgeOptions::Of;
  double const truth = learning(Of::truth).made_samples;
  double const guess = learning(Of::guess).made_samples;
  double const advisor = learning(Of::advisor).made_samples;
  CHECK(guess < 0.9 * truth);
  CHECK(advisor > guess + 0.8 * (truth - guess));
}

}  // namespace
}  // namespace gleaner::sim

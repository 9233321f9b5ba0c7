// SPDX-License-Identifier: Apache-2.0
/// What `gleaner solve` reads, and what it prints.
#include "cli/solve/solve_case.hh"
#include "test/unit/catch.hh"
#include "test/unit/source_file.hh"

namespace gleaner::cli {
namespace {

std::string const problem =
    R"({"nodes":[{"name":"n1"},{"name":"n2"},{"name":"n3"}],)"
    R"("trainers":[{"id":"17","nodes_min":1,"nodes_max":2,"nodes":["n1"],)"
    R"("speed":[0,1,1.9]}]})";

std::string record(std::string const& plan) {
  return R"({"t_s":1000.5,"policy":"exact","problem":)" + problem +
         R"(,"plan":)" + plan + "}\n";
}

SolveCase one(std::string const& text) {
  auto cases = read_cases("f.json", text);
  if (!cases) FAIL(cases.error().message);
  REQUIRE(cases->size() == 1);
  return cases->front();
}

TEST_CASE("a problem stands alone, on one line or many") {
  CHECK(one(problem).problem.nodes.size() == 3);
  auto spread = problem;
  spread.insert(1, "\n\n");
  CHECK(one(spread).problem.trainers.size() == 1);
  CHECK(one(spread).policy.empty());
}

TEST_CASE("the example is a problem, and the one of the manual") {
  auto const example = test::source_file("examples/problem.json");
  CHECK(one(example).problem.trainers.size() == 2);
  CHECK(test::source_file("doc/man1/gleaner-solve.1").find(".nf\n" + example) !=
        std::string::npos);
}

TEST_CASE("a log has a record a line, with what was decided") {
  auto const text =
      record(R"({"17":["n1","n2"]})") + "\n" + record(R"({"17":["n1"]})");
  auto const cases = read_cases("p.log", text);
  REQUIRE(cases);
  REQUIRE(cases->size() == 2);
  CHECK((*cases)[0].policy == "exact");
  CHECK((*cases)[0].t_s == 1000.5);
  CHECK((*cases)[0].plan == alloc::Plan{{0, 1}});
  CHECK((*cases)[1].plan == alloc::Plan{{0}});
}

TEST_CASE("what cannot be read is told with its place") {
  struct Case {
    std::string text, why;
  };
  for (auto const& [text, why] : {
           Case{"", "f: no JSON at byte 1 [a problem as in gleaner(1)"},
           Case{R"({"nodes":)", "f: no JSON at byte 10"},
           Case{R"({"nodes":[]})", "f: trainers: expected a list"},
           Case{record(R"({})"), "f:1: plan.17: expected a list of nodes"},
           Case{record(R"({"17":[]})") + "{\n", "f:2: no JSON at byte 2"},
           Case{record(R"({"17":[]})") + problem, "f:2: no record of a prob"},
       }) {
    INFO(text);
    auto const cases = read_cases("f", text);
    REQUIRE(!cases);
    CHECK_THAT(cases.error().message, Catch::StartsWith(why));
  }
}

TEST_CASE("the answer is a line for each trainer") {
  CHECK(solved_table(one(problem), {alloc::Plan{{0, 2}}, 0, "exact", 0.12}) ==
        "1 trainer, 2 of 3 nodes lent.  policy exact, solved in 0.12 ms\n"
        "\n"
        "TRAINER  MIN-MAX  HAS  GETS  NODES\n"
        "17       1-2      1    2     n[1,3]\n");
}

TEST_CASE("a plan other than the recorded one is shown beside it") {
  auto const question = one(record(R"({"17":["n1","n2"]})"));
  CHECK_THAT(solved_table(question, {alloc::Plan{{0, 1}}, 0, "exact", 1}),
             Catch::EndsWith("\nas recorded\n"));
  CHECK_THAT(solved_table(question, {alloc::Plan{{0}}, 0, "exact", 1}),
             Catch::EndsWith("\nrecorded otherwise:\n"
                             "TRAINER  NODES\n"
                             "17       n[1-2]\n"));
}

TEST_CASE("as JSON the answer can be read by programs") {
  auto const question = one(record(R"({"17":["n1","n2"]})"));
  CHECK(solved_json(question, {alloc::Plan{{0, 1}}, 0, "exact", 1.5}) ==
        "{\n"
        "  \"policy\": \"exact\",\n"
        "  \"took_ms\": 1.5,\n"
        "  \"gain\": 228.0,\n"
        "  \"gap\": 0.0,\n"
        "  \"plan\": {\n"
        "    \"17\": [\n"
        "      \"n1\",\n"
        "      \"n2\"\n"
        "    ]\n"
        "  },\n"
        "  \"as_recorded\": true\n"
        "}\n");
}

}  // namespace
}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/solve/solve_case.hh"

#include <nlohmann/json.hpp>
#include <sstream>

#include "alloc/problem_json.hh"
#include "alloc/worth.hh"
#include "cli/text_table.hh"

namespace gleaner::cli {
namespace {

using nlohmann::json;

Error in(std::string const& where, Error const& why) {
  return {why.code, where + ": " + why.message};
}

Result<json> parse(std::string const& where, std::string_view text) {
  try {
    return json::parse(text);
  } catch (json::parse_error const& why) {
    return Error{Errc::invalid_argument,
                 where + ": no JSON at byte " + std::to_string(why.byte) +
                     " [a problem as in gleaner(1), or a problem_log]"};
  }
}

Result<SolveCase> read_record(std::string const& where, json const& record) {
  SolveCase result;
  auto problem = alloc::problem_from_json(record.at("problem"));
  if (!problem) return in(where, problem.error());
  result.problem = std::move(*problem);
  if (record.contains("policy") && record["policy"].is_string())
    result.policy = record["policy"];
  if (record.contains("t_s") && record["t_s"].is_number())
    result.t_s = record["t_s"];
  if (!record.contains("plan")) return result;
  auto plan = alloc::plan_from_json(result.problem, record["plan"]);
  if (!plan) return in(where, plan.error());
  result.plan = std::move(*plan);
  return result;
}

bool is_record(json const& value) {
  return value.is_object() && value.contains("problem");
}

Result<std::vector<SolveCase>> read_log(std::string const& name,
                                        std::string const& text) {
  std::vector<SolveCase> cases;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    auto const where = name + ":" + std::to_string(number);
    auto const value = parse(where, line);
    if (!value) return value.error();
    if (!is_record(*value))
      return Error{Errc::invalid_argument,
                   where + ": no record of a problem_log (it has no problem)"};
    auto one = read_record(where, *value);
    if (!one) return one.error();
    cases.push_back(std::move(*one));
  }
  return cases;
}

std::vector<std::string> names_of(alloc::Problem const& problem,
                                  std::vector<alloc::NodeIndex> const& nodes) {
  std::vector<std::string> names;
  for (auto const node : nodes) names.push_back(problem.nodes[node].name);
  return names;
}

std::string count(std::size_t n, std::string const& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string comparison(SolveCase const& question, Solved const& answer) {
  if (!question.plan) return "";
  if (*question.plan == answer.plan) return "\nas recorded\n";
  std::string text = "\nrecorded otherwise:\n";
  std::vector<Row> rows = {{"TRAINER", "NODES"}};
  for (std::size_t i = 0; i < answer.plan.size(); ++i)
    if ((*question.plan)[i] != answer.plan[i])
      rows.push_back(
          {question.problem.trainers[i].id,
           node_list(names_of(question.problem, (*question.plan)[i]))});
  return text + text_table(rows);
}

}  // namespace

Result<std::vector<SolveCase>> read_cases(std::string const& name,
                                          std::string const& text) {
  auto const first_line = text.substr(0, text.find('\n'));
  auto const begin = json::parse(first_line, nullptr, false);
  if (is_record(begin)) return read_log(name, text);
  auto const value = parse(name, text);
  if (!value) return value.error();
  if (is_record(*value)) {
    auto one = read_record(name, *value);
    if (!one) return one.error();
    return std::vector{std::move(*one)};
  }
  auto problem = alloc::problem_from_json(*value);
  if (!problem) return in(name, problem.error());
  return std::vector{SolveCase{std::move(*problem), "", {}, 0}};
}

std::string solved_table(SolveCase const& question, Solved const& answer) {
  auto const& problem = question.problem;
  std::size_t used = 0;
  std::vector<Row> rows = {{"TRAINER", "MIN-MAX", "HAS", "GETS", "NODES"}};
  for (std::size_t i = 0; i < answer.plan.size(); ++i) {
    auto const& trainer = problem.trainers[i];
    used += answer.plan[i].size();
    rows.push_back({trainer.id,
                    std::to_string(trainer.nodes_min) + "-" +
                        std::to_string(trainer.nodes_max),
                    std::to_string(trainer.nodes.size()),
                    std::to_string(answer.plan[i].size()),
                    node_list(names_of(problem, answer.plan[i]))});
  }
  std::string text =
      count(problem.trainers.size(), "trainer") + ", " + std::to_string(used) +
      " of " + count(problem.nodes.size(), "node") + " lent.  policy " +
      answer.policy + ", solved in " + fixed(answer.took_ms, 2) + " ms\n";
  if (rows.size() > 1) text += "\n" + text_table(rows);
  return text + comparison(question, answer);
}

std::string solved_json(SolveCase const& question, Solved const& answer) {
  nlohmann::ordered_json value{
      {"policy", answer.policy},
      {"took_ms", answer.took_ms},
      {"gain", alloc::predicted_gain(question.problem, answer.plan)},
      {"gap", answer.gap},
      {"plan", alloc::plan_to_json(question.problem, answer.plan)}};
  if (question.plan) value["as_recorded"] = *question.plan == answer.plan;
  return value.dump(2) + "\n";
}

}  // namespace gleaner::cli

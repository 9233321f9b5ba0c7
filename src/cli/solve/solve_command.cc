// SPDX-License-Identifier: Apache-2.0
#include "cli/solve/solve_command.hh"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/solve/solve_case.hh"

namespace gleaner::cli {
namespace {

struct SolveOptions {
  std::string path;    ///< a problem, or a problem_log; "-": standard input
  std::string policy;  ///< "": as recorded, else "gleaner"
  int record = 0;      ///< of a problem_log, from 1; 0: the last
  bool all = false;    ///< every record: do they get the recorded plans?
  enum class Form { table, json } form = Form::table;
  int limit_ms = 10000;
};

int fail(std::string const& why) {
  std::fprintf(stderr, "gleaner: solve: %s\n", why.c_str());
  return 2;
}

std::string whole(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<std::vector<SolveCase>> read_file(std::string const& path) {
  if (path == "-") return read_cases("standard input", whole(std::cin));
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{Errc::io, path + ": cannot be read"};
  return read_cases(path, whole(in));
}

Result<Solved> solve(SolveCase const& question, SolveOptions const& options) {
  auto const recorded = question.policy.empty() ? "gleaner" : question.policy;
  Solved solved;
  solved.policy = options.policy.empty() ? recorded : options.policy;
  auto const allocator = alloc::make_allocator(solved.policy);
  if (!allocator) return allocator.error();
  auto const begin = std::chrono::steady_clock::now();
  auto decision = (*allocator)
                      ->allocate(question.problem,
                                 std::chrono::milliseconds(options.limit_ms));
  solved.took_ms = std::chrono::duration<double, std::milli>(
                       std::chrono::steady_clock::now() - begin)
                       .count();
  if (!decision) return decision.error();
  solved.gap = decision->gap();
  solved.plan = std::move(decision->plan);
  return solved;
}

bool differs(SolveCase const& question, Solved const& answer) {
  return question.plan && *question.plan != answer.plan;
}

int solve_one(SolveCase const& question, SolveOptions const& options) {
  auto const answer = solve(question, options);
  if (!answer) return fail(answer.error().message);
  bool const as_json = options.form == SolveOptions::Form::json;
  std::fputs((as_json ? solved_json : solved_table)(question, *answer).c_str(),
             stdout);
  return differs(question, *answer) ? 1 : 0;
}

int solve_all(std::vector<SolveCase> const& cases,
              SolveOptions const& options) {
  std::size_t other = 0;
  double worst_ms = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto const answer = solve(cases[i], options);
    if (!answer)
      return fail("record " + std::to_string(i + 1) + ": " +
                  answer.error().message);
    worst_ms = std::max(worst_ms, answer->took_ms);
    if (!differs(cases[i], *answer)) continue;
    ++other;
    std::printf("record %zu, at %.3f: another plan than recorded\n", i + 1,
                cases[i].t_s);
  }
  std::printf(
      "%zu problems solved, %zu otherwise than recorded; the slowest "
      "took %.2f ms\n",
      cases.size(), other, worst_ms);
  return other > 0 ? 1 : 0;
}

int run_solve(SolveOptions const& options) {
  auto const cases = read_file(options.path);
  if (!cases) return fail(cases.error().message);
  if (cases->empty()) return fail(options.path + ": no record");
  if (options.all) return solve_all(*cases, options);
  auto const last = static_cast<int>(cases->size());
  int const record = options.record == 0 ? last : options.record;
  if (record < 1 || record > last)
    return fail("--record " + std::to_string(record) + ": there are " +
                std::to_string(last) + " records in " + options.path);
  return solve_one((*cases)[static_cast<std::size_t>(record) - 1], options);
}

}  // namespace

void solve_command(CLI::App& solve, Run& run) {
  auto const options = std::make_shared<SolveOptions>();
  solve
      .add_option("file", options->path,
                  "A problem as JSON, or a problem_log; -: standard input")
      ->required();
  solve.add_option("--policy", options->policy,
                   "Policy; by default the recorded one, else gleaner");
  auto* record = solve.add_option("--record", options->record,
                                  "Record of a problem_log, from 1; by "
                                  "default the last");
  solve
      .add_flag("--all", options->all,
                "Every record: which gets another plan than recorded?")
      ->excludes(record);
  solve.add_flag_callback(
      "--json", [options] { options->form = SolveOptions::Form::json; },
      "Write the plan as JSON");
  solve.add_option("--limit-ms", options->limit_ms, "Give up after this long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  solve.callback(
      [options, &run] { run = [options] { return run_solve(*options); }; });
}

}  // namespace gleaner::cli

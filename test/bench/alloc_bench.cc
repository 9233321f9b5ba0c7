// SPDX-License-Identifier: Apache-2.0
/// How long a plan takes, by policy, size and family of problems; with kinds of
/// nodes, also how far it is from a bound that no plan exceeds.
///
///     alloc_bench OUT [--quick] [--kinds]      writes OUT/bench-alloc.json
///
/// --kinds: only what has kinds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "alloc/speed_outline.hh"
#include "test/bench/kind_problems.hh"
#include "test/bench/problem_families.hh"

namespace gleaner::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Size {
  int nodes;
  int trainers;
};

/// The sizes aimed at, and how time grows towards them.
std::vector<Size> const sizes{
    {128, 10}, {1024, 10}, {1024, 100}, {4096, 400}, {10000, 1000}};

/// Where nodes are of four kinds.
std::vector<Size> const kind_sizes{{1024, 100}, {10000, 1000}};

/// What CBC can be asked.
std::vector<Size> const milp_sizes{{64, 5}, {128, 10}, {256, 10}, {1024, 10}};

constexpr std::chrono::milliseconds milp_limit{10000};
constexpr unsigned seed = 20260101;

/// Time of this thread on the processor: other programs do not count.
double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 +
         static_cast<double>(now.tv_nsec) / 1e6;
}

struct Times {
  std::vector<double> ms;
  int unfinished = 0;  ///< no plan, or the limit was reached
  double steps = 0;    ///< the most of a plan
  double gap_max = 0;  ///< to the bound, as a share of it
  double at(double share) const {
    return ms[static_cast<std::size_t>(share *
                                       static_cast<double>(ms.size() - 1))];
  }
};

Times measure(std::string const& policy, Family const& family, Size size,
              int problems, bool outlines) {
  auto const allocator = alloc::make_allocator(policy);
  Times times;
  if (!allocator) return times;
  std::mt19937 random(seed);
  for (int i = 0; i < problems; ++i) {
    auto problem = make_problem(family, random, size.nodes, size.trainers);
    // As the owner of the curves does when they are told.
    if (outlines)
      for (auto& trainer : problem.trainers)
        trainer.outline = alloc::outline_of(trainer.speed);
    double const begin_ms = cpu_ms();
    auto const decision = (*allocator)->allocate(problem, milp_limit);
    times.ms.push_back(cpu_ms() - begin_ms);
    if (decision) {
      times.steps = std::max(times.steps, decision->steps);
      times.gap_max = std::max(times.gap_max, decision->gap());
    }
    if (!decision || times.ms.back() >= 0.99 * milp_limit.count())
      ++times.unfinished;
  }
  std::sort(times.ms.begin(), times.ms.end());
  return times;
}

void report(std::string const& policy, Family const& family, Size size,
            Times const& times, Json* rows) {
  if (times.ms.empty()) return;
  std::printf("%-8s %6d x %-5d %-18s %9.3f %9.3f %9.3f %9.0f %9.2e %5zu",
              policy.c_str(), size.nodes, size.trainers, family.name.c_str(),
              times.at(0.5), times.at(0.99), times.at(1), times.steps / 1000,
              times.gap_max, times.ms.size());
  if (times.unfinished > 0) std::printf("  %d at the limit", times.unfinished);
  std::printf("\n");
  std::fflush(stdout);
  rows->push_back({{"policy", policy},
                   {"nodes", size.nodes},
                   {"trainers", size.trainers},
                   {"family", family.name},
                   {"what", family.what},
                   {"median_ms", times.at(0.5)},
                   {"p99_ms", times.at(0.99)},
                   {"max_ms", times.at(1)},
                   {"steps_max", times.steps},
                   {"gap_max", times.gap_max},
                   {"problems", times.ms.size()},
                   {"at_limit", times.unfinished}});
}

Json measure_all(bool quick, bool outlines) {
  Json rows = Json::array();
  std::printf("%-8s %6s   %-5s %-18s %9s %9s %9s %9s %9s %5s\n", "policy",
              "nodes", "train", "family", "median ms", "p99 ms", "max ms",
              "1k steps", "worst gap", "cases");
  for (auto const& size : sizes)
    for (auto const& family : families())
      for (auto policy : {"exact", "gleaner"}) {
        int const problems = quick ? 3 : size.nodes > 2000 ? 15 : 100;
        report(policy, family, size,
               measure(policy, family, size, problems, outlines), &rows);
      }
  for (auto const& size : milp_sizes)
    for (auto policy : {"exact", "gleaner", "milp"})
      report(policy, families()[0], size,
             measure(policy, families()[0], size, quick ? 1 : 5, outlines),
             &rows);
  return rows;
}

/// What `policy` makes of problems with kinds, in its own measure of worth.
struct KindTimes {
  Times times;
  std::vector<double> gap;  ///< to the bound, as a share of it
};

KindTimes measure_kinds(std::string const& policy, Family const& family,
                        Usable const& usable, Size size, int problems) {
  KindTimes result;
  auto const allocator = alloc::make_allocator(policy);
  if (!allocator) return result;
  auto const extras =
      policy == "gleaner" ? alloc::Extras{} : alloc::Extras::none();
  std::mt19937 random(seed);
  for (int i = 0; i < problems; ++i) {
    auto const problem =
        make_kind_problem(family, usable, random, size.nodes, size.trainers);
    double const begin_ms = cpu_ms();
    auto const decision = (*allocator)->allocate(problem, milp_limit);
    result.times.ms.push_back(cpu_ms() - begin_ms);
    if (!decision) continue;
    double const most = worth_at_most(problem, extras);
    if (most > 0)
      result.gap.push_back(1 -
                           worth_of(problem, decision->plan, extras) / most);
  }
  std::sort(result.times.ms.begin(), result.times.ms.end());
  std::sort(result.gap.begin(), result.gap.end());
  return result;
}

void report_kinds(std::string const& policy, Family const& family,
                  Usable const& usable, Size size, KindTimes const& found,
                  Json* rows) {
  auto const& times = found.times;
  double const median = found.gap.empty() ? 0 : found.gap[found.gap.size() / 2];
  double const worst = found.gap.empty() ? 0 : found.gap.back();
  std::printf("%-8s %6d x %-5d %-18s %-8s %9.3f %9.3f %8.3f %8.3f %5zu\n",
              policy.c_str(), size.nodes, size.trainers, family.name.c_str(),
              usable.name.c_str(), times.at(0.5), times.at(1), 100 * median,
              100 * worst, times.ms.size());
  std::fflush(stdout);
  rows->push_back({{"policy", policy},
                   {"nodes", size.nodes},
                   {"trainers", size.trainers},
                   {"family", family.name},
                   {"usable", usable.name},
                   {"what", family.what + "; " + usable.what},
                   {"median_ms", times.at(0.5)},
                   {"max_ms", times.at(1)},
                   {"median_gap", median},
                   {"max_gap", worst},
                   {"problems", times.ms.size()}});
}

Json measure_all_kinds(bool quick) {
  Json rows = Json::array();
  std::printf(
      "\nnodes of four kinds\n%-8s %6s   %-5s %-18s %-8s %9s %9s %8s "
      "%8s %5s\n",
      "policy", "nodes", "train", "family", "usable", "median ms", "max ms",
      "gap %", "worst %", "cases");
  for (auto const& size : kind_sizes)
    for (auto const& family : families()) {
      if (family.known_ends > 0) continue;  // the bound knows no short holes
      for (auto const& usable : usable_patterns())
        for (auto policy : {"exact", "gleaner"}) {
          int const problems = quick ? 3 : size.nodes > 2000 ? 15 : 100;
          report_kinds(policy, family, usable, size,
                       measure_kinds(policy, family, usable, size, problems),
                       &rows);
        }
    }
  return rows;
}

int run(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: alloc_bench OUT [--quick] [--kinds] "
                 "[--no-outlines]\n");
    return 2;
  }
  auto const has = [&](char const* option) {
    return std::any_of(argv + 2, argv + argc, [&](char const* given) {
      return std::strcmp(given, option) == 0;
    });
  };
  bool const quick = has("--quick");
  std::filesystem::path const out(argv[1]);
  std::filesystem::create_directories(out);
  Json json{{"seed", seed}};
  if (!has("--kinds")) json["rows"] = measure_all(quick, !has("--no-outlines"));
  json["kinds"] = measure_all_kinds(quick);
  std::ofstream(out / "bench-alloc.json") << json.dump(2) << '\n';
  return 0;
}

}  // namespace
}  // namespace gleaner::bench

int main(int argc, char** argv) { return gleaner::bench::run(argc, argv); }

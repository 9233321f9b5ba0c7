// SPDX-License-Identifier: Apache-2.0
/// How far off is an advisor, and do its intervals hold the truth nine times in
/// ten?  Over many trainings of each sort, at sizes from half the smallest that
/// was measured to twice the largest.  GLEANER_SEED repeats a run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "profile/advisor.hh"
#include "test/unit/catch.hh"
#include "test/unit/profile/truths.hh"

namespace gleaner::profile {
namespace {

constexpr int trainings = 600;
constexpr int nodes_max = 64;

std::uint64_t seed() {
  auto const* text = std::getenv("GLEANER_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 20260101;
}

/// Errors of the logarithm, and how often an interval held the truth.
struct Tally {
  std::vector<double> errors;
  int held = 0;

  void add(double truth, double mean, double low, double high) {
    errors.push_back(std::abs(std::log(mean / truth)));
    held += low <= truth && truth <= high;
  }
  double coverage() const {
    return static_cast<double>(held) / static_cast<double>(errors.size());
  }
  double quantile(double part) {
    auto const at =
        errors.begin() + static_cast<std::ptrdiff_t>(
                             part * static_cast<double>(errors.size() - 1));
    std::nth_element(errors.begin(), at, errors.end());
    return *at;
  }
};

struct Tallies {
  Tally measured;  ///< at measured sizes
  Tally between;   ///< at others, up to the largest measured
  Tally beyond;
  Tally all;
};

struct Case {
  Truth truth;
  int sizes_min, sizes_max;  ///< visited
};

Tallies tally(Case const& c) {
  std::mt19937_64 random(seed());
  Tallies tallies;
  for (int i = 0; i < trainings; ++i) {
    TrueTraining training(c.truth, random);
    Advisor advisor;
    advisor.set_traits({"", static_cast<std::uint64_t>(training.batch), 0, 1});
    int const visits = training.whole(c.sizes_min, c.sizes_max);
    std::vector<int> visited;
    for (int visit = 0; visit < visits; ++visit) {
      visited.push_back(
          static_cast<int>(training.logarithmic(1, nodes_max + 0.99)));
      advisor.add(training.measured(visited.back()));
    }
    auto const [least, most] =
        std::minmax_element(visited.begin(), visited.end());
    auto const advice = advisor.advise(nodes_max);
    for (int k = 1; k <= nodes_max; k += std::max(1, k / 4)) {
      // Nobody can know of a collapse of which one side was not seen.
      if (k < *least / 2 || k > 2 * *most) continue;
      if (training.collapsed(k) && !training.collapsed(*most)) continue;
      if (!training.collapsed(k) && training.collapsed(*least)) continue;
      auto const at = static_cast<std::size_t>(k);
      auto const note = [&](Tally& into) {
        into.add(training.batch / training.step_s(k), advice.mean[at],
                 advice.low[at], advice.high[at]);
      };
      note(tallies.all);
      if (std::count(visited.begin(), visited.end(), k) != 0)
        note(tallies.measured);
      else
        note(k > *most ? tallies.beyond : tallies.between);
    }
  }
  return tallies;
}

/// Bounds of the error: its median at measured sizes, at others, and what
/// nine in ten keep at others.
struct Bounds {
  double measured, others, others_p90;
};

void check(char const* name, Case const& c, Bounds const& bounds) {
  auto tallies = tally(c);
  auto others = tallies.between;
  others.errors.insert(others.errors.end(), tallies.beyond.errors.begin(),
                       tallies.beyond.errors.end());
  std::printf(
      "%-34s %d-%d sizes, seed %llu: held %.3f (measured %.3f, between %.3f, "
      "beyond %.3f); error p50 %.4f measured, %.4f else, p90 %.4f\n",
      name, c.sizes_min, c.sizes_max, static_cast<unsigned long long>(seed()),
      tallies.all.coverage(), tallies.measured.coverage(),
      tallies.between.coverage(), tallies.beyond.coverage(),
      tallies.measured.quantile(0.5), others.quantile(0.5),
      others.quantile(0.9));
  CHECK(tallies.all.coverage() >= 0.85);
  CHECK(tallies.all.coverage() <= 0.95);
  CHECK(tallies.measured.quantile(0.5) <= bounds.measured);
  CHECK(others.quantile(0.5) <= bounds.others);
  CHECK(others.quantile(0.9) <= bounds.others_p90);
}

TEST_CASE("an advisor of a training that computes") {
  check("compute, noise 3 to 5 %", {Truth::plain, 1, 5}, {0.01, 0.02, 0.05});
}
TEST_CASE("an advisor of a training bound by communication") {
  check("communication", {Truth::communication, 1, 5}, {0.01, 0.02, 0.07});
}
TEST_CASE("an advisor of a training whose curve is a staircase") {
  check("staircase", {Truth::staircase, 1, 5}, {0.01, 0.02, 0.05});
}
TEST_CASE("an advisor of a training that collapses beyond a size") {
  check("collapse", {Truth::collapse, 2, 6}, {0.01, 0.03, 0.6});
}
TEST_CASE("an advisor of a training that drifts") {
  check("drift", {Truth::drift, 2, 6}, {0.012, 0.02, 0.05});
}
TEST_CASE("an advisor of a training with stragglers") {
  check("stragglers", {Truth::stragglers, 1, 5}, {0.012, 0.02, 0.07});
}

}  // namespace
}  // namespace gleaner::profile

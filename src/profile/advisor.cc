// SPDX-License-Identifier: Apache-2.0
/// From paces to samples of the fit, and from step times to speeds.
#include "profile/advisor.hh"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/contract.hh"
#include "profile/largest_share.hh"

namespace gleaner::profile {
namespace {

/// What is kept of this training, and what is used of earlier ones: the fit's
/// time grows with the third power.
constexpr std::size_t paces_most = 8;
constexpr std::size_t earlier_most = 6;

/// Earlier trainings whose steps were longer or shorter by more than this, as a
/// logarithm, were other trainings.
constexpr double earlier_off_most = 0.2;

/// No median of a few hundred steps is better than this.
constexpr double noise_least = 0.004;
/// Steps follow one another, so that a hundred say as much as fifty.
constexpr double steps_alike = 2;

/// Of a measurement that is only thought of.
constexpr std::uint64_t outlook_steps = 100;
/// Three points, the outer ones at ±1.645 standard deviations, have the
/// variance of the distribution with this probability of each of these.
constexpr double outlook_end = 0.185;

bool is_pace(Pace const& pace) {
  return pace.nodes >= 1 && pace.members >= 1 && pace.steps >= 1 &&
         std::isfinite(pace.step_s) && pace.step_s > 0;
}

double noise_of(Pace const& pace, double straggled_s) {
  double const deviation = pace.step_spread_s / 1.349 / pace.step_s;
  double const independent =
      std::max(1.0, static_cast<double>(pace.steps) / steps_alike);
  double const median = 1.25 * deviation / std::sqrt(independent);
  // With few steps the spread is not known either.
  double const few = 0.05 / static_cast<double>(pace.steps);
  double const straggled_part = straggled_s / pace.step_s;
  double const straggled =
      straggled_part > 0 ? 0.01 + 0.03 * straggled_part : 0;
  return std::sqrt(median * median + few * few + straggled * straggled +
                   noise_least * noise_least);
}

SizeSample sample_of(Pace const& pace, std::uint64_t global_batch,
                     std::uint64_t newest) {
  SizeSample sample;
  sample.members = pace.members;
  LargestShare largest;
  if (pace.compute_s > 0) largest = largest_share(pace, global_batch);
  sample.step_s = pace.step_s - largest.straggled_s;
  sample.noise = noise_of(pace, largest.straggled_s);
  if (pace.compute_s > 0) {
    sample.compute_s = std::min(largest.compute_s, sample.step_s);
    sample.exposed_s = std::clamp(pace.exposed_s, 0.0, sample.step_s);
    double const longest =
        std::max(sample.compute_s, pace.compute_max_s - largest.straggled_s);
    sample.elsewhere_s =
        std::max(0.0, sample.step_s - longest - sample.exposed_s);
  }
  sample.generations_ago =
      std::min(static_cast<double>(newest - pace.generation), 100.0);
  return sample;
}

SizeSample sample_of(LearnedSize const& size) {
  SizeSample sample;
  sample.members = size.members;
  sample.step_s = size.step_s;
  sample.noise = std::max(size.step_sd, noise_least);
  sample.compute_s = std::min(size.compute_s, size.step_s);
  sample.exposed_s = std::min(size.exposed_s, size.step_s);
  sample.elsewhere_s =
      std::max(0.0, size.step_s - sample.compute_s - sample.exposed_s);
  sample.of = SizeSample::Of::earlier_ones;
  return sample;
}

}  // namespace

void Advisor::set_traits(Traits const& traits) {
  if (traits == traits_) return;
  traits_ = traits;
  fit_.reset();
}

void Advisor::set_prior(Learned const& prior) {
  prior_ = prior;
  fit_.reset();
}

void Advisor::add(Pace const& pace) {
  if (!is_pace(pace)) return;
  auto const at = std::lower_bound(
      paces_.begin(), paces_.end(), pace.generation,
      [](auto const& other, auto number) { return other.generation < number; });
  if (at != paces_.end() && at->generation == pace.generation)
    *at = pace;
  else
    paces_.insert(at, pace);
  if (paces_.size() > paces_most) forget();
  ENSURE(paces_.size() <= paces_most, paces_.size(), paces_most);
  fit_.reset();
}

/// Drop the oldest of the sizes that were measured again since, else the
/// oldest of all.
void Advisor::forget() {
  auto const oldest =
      std::find_if(paces_.begin(), paces_.end(), [&](Pace const& pace) {
        return std::any_of(paces_.begin(), paces_.end(),
                           [&](auto const& other) {
                             return other.members == pace.members &&
                                    other.generation > pace.generation;
                           });
      });
  paces_.erase(oldest == paces_.end() ? paces_.begin() : oldest);
}

std::vector<SizeSample> Advisor::samples(Of whom) const {
  std::vector<SizeSample> all;
  for (auto pace = paces_.rbegin(); pace != paces_.rend(); ++pace)
    all.push_back(
        sample_of(*pace, traits_.global_batch, paces_.back().generation));
  if (whom == Of::this_training) return all;
  auto earlier = prior_.sizes;
  std::stable_sort(
      earlier.begin(), earlier.end(),
      [](auto const& a, auto const& b) { return a.trainings > b.trainings; });
  if (earlier.size() > earlier_most) earlier.resize(earlier_most);
  for (auto const& size : earlier) all.push_back(sample_of(size));
  return all;
}

StepFit Advisor::fit_of(Of whom, StepFit::Start start) const {
  return StepFit(StepModel(traits_.global_batch), samples(whom),
                 static_cast<double>(traits_.gradient_bytes), start);
}

StepFit const& Advisor::fit() const {
  if (fit_) return *fit_;
  using Start = StepFit::Start;
  fit_.emplace(fit_of(Of::all, Start::usual));
  prior_is_refuted_ = !paces_.empty() && !prior_.sizes.empty() &&
                      std::abs(fit_->earlier_off()) > earlier_off_most;
  auto const whom = prior_is_refuted_ ? Of::this_training : Of::all;
  if (prior_is_refuted_) fit_.emplace(fit_of(whom, Start::usual));
  other_fit_.reset();
  if (fit_->is_unusual()) other_fit_.emplace(fit_of(whom, Start::measured));
  return *fit_;
}

/// Where two readings of the measurements are left, it is between both.
StepTime Advisor::step_at(int members) const {
  auto step = fit().at(members);
  if (!other_fit_) return step;
  auto const other = other_fit_->at(members);
  return {std::sqrt(step.median_s * other.median_s),
          std::min(step.low_s, other.low_s),
          std::max(step.high_s, other.high_s)};
}

bool Advisor::heeds_prior() const {
  fit();
  return !prior_.sizes.empty() && !prior_is_refuted_;
}

Advice Advisor::advise(int nodes_max) const {
  EXPECT(nodes_max >= 0, nodes_max);
  bool const measured = !paces_.empty() || !prior_.sizes.empty();
  int const per_node =
      paces_.empty() ? std::max(1, traits_.members_per_node)
                     : std::max(1, paces_.back().members / paces_.back().nodes);
  double const samples = !measured
                             ? step_at(per_node).median_s
                             : static_cast<double>(std::max<std::uint64_t>(
                                   1, traits_.global_batch));
  Advice advice;
  for (auto* curve : {&advice.mean, &advice.low, &advice.high}) {
    curve->reserve(static_cast<std::size_t>(nodes_max) + 1);
    curve->push_back(0);
  }
  for (int k = 1; k <= nodes_max; ++k) {
    auto const step = step_at(k * per_node);
    advice.mean.push_back(samples / step.median_s);
    advice.low.push_back(samples / step.high_s);
    advice.high.push_back(samples / step.low_s);
  }
  for (auto const& pace : paces_)
    advice.nodes_seen_max = std::max(advice.nodes_seen_max, pace.nodes);
  if (!prior_is_refuted_)
    for (auto const& size : prior_.sizes)
      advice.nodes_seen_max =
          std::max(advice.nodes_seen_max, size.members / per_node);
  ENSURE(advice.mean.size() == static_cast<std::size_t>(nodes_max) + 1,
         advice.mean.size(), nodes_max);
  return advice;
}

std::vector<Outcome> Advisor::outlook(int nodes, int nodes_max) const {
  EXPECT(nodes >= 1 && nodes <= nodes_max, nodes, nodes_max);
  int const per_node =
      paces_.empty() ? std::max(1, traits_.members_per_node)
                     : std::max(1, paces_.back().members / paces_.back().nodes);
  auto const step = step_at(nodes * per_node);
  Pace pace;
  pace.generation = paces_.empty() ? 1 : paces_.back().generation + 1;
  pace.nodes = nodes;
  pace.members = nodes * per_node;
  pace.steps = outlook_steps;
  std::vector<Outcome> outcomes;
  for (auto const& [step_s, probability] :
       {std::pair(step.high_s, outlook_end),
        std::pair(step.median_s, 1 - 2 * outlook_end),
        std::pair(step.low_s, outlook_end)}) {
    auto then = *this;
    pace.step_s = step_s;
    then.add(pace);
    outcomes.push_back({probability, then.advise(nodes_max)});
  }
  return outcomes;
}

Learned Advisor::learned() const {
  Learned learned;
  if (!paces_.empty())
    learned.members_per_node =
        std::max(1, paces_.back().members / paces_.back().nodes);
  // The newest of each size counts.
  for (auto pace = paces_.rbegin(); pace != paces_.rend(); ++pace) {
    auto const at = std::lower_bound(
        learned.sizes.begin(), learned.sizes.end(), pace->members,
        [](auto const& size, int members) { return size.members < members; });
    if (at != learned.sizes.end() && at->members == pace->members) continue;
    auto const sample =
        sample_of(*pace, traits_.global_batch, paces_.back().generation);
    LearnedSize size;
    size.members = sample.members;
    size.step_s = sample.step_s;
    size.step_sd = sample.noise;
    size.compute_s = sample.compute_s;
    size.exposed_s = sample.exposed_s;
    learned.sizes.insert(at, size);
  }
  return learned;
}

}  // namespace gleaner::profile

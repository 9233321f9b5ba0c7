// SPDX-License-Identifier: Apache-2.0
/// From an advisor's advice to what plans are made of.
#include "daemon/decisions/scaling_profile.hh"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profile/agreement.hh"
#include "profile/scaling_curve.hh"

namespace gleaner::daemon {
namespace {

/// A generation's pace is heeded again when it is so much better known, or so
/// much another one: working out speeds for thousands of nodes each second for
/// each training would be all that gleanerd does.
constexpr double steps_factor = 1.5;
constexpr double pace_change = 0.05;

/// Intervals have become so much narrower: it is worth telling.
constexpr double narrower = 0.5;

constexpr double smoothing = 0.3;
constexpr double cost_s_max = 600;  ///< more is not a resize's doing
/// What was too short to be measured is not free: nothing moves for nothing.
constexpr double cost_s_min = 0.02;

Speeds guess(int nodes_max) {
  return {profile::ScalingCurve().speed(nodes_max), {}, {}, 0};
}

/// k nodes are not more than k times as fast: who reports more would get nodes
/// for it.
void clamp(std::vector<double>* speed) {
  for (std::size_t k = 0; k < speed->size(); ++k)
    (*speed)[k] = std::clamp((*speed)[k], 0.0, static_cast<double>(k));
}

Speeds relative(profile::Advice advice) {
  double const one = advice.mean.size() > 1 ? advice.mean[1] : 0;
  if (!std::isfinite(one) || one <= 0) return {};
  Speeds speeds{std::move(advice.mean), std::move(advice.low),
                std::move(advice.high), advice.nodes_seen_max};
  for (auto* list : {&speeds.mean, &speeds.low, &speeds.high}) {
    for (auto& speed : *list) speed /= one;
    clamp(list);
  }
  // Of whom nothing is known counts as others do of whom nothing is known: not
  // less, or who came first would have most.
  if (speeds.nodes_tried == 0) speeds.low.clear(), speeds.high.clear();
  return speeds;
}

/// Each change may move nodes, so it has to be more than what was uncertain.
bool differs(Speeds const& now, Speeds const& told) {
  if (now.mean.size() != told.mean.size() ||
      now.low.empty() != told.low.empty() ||
      now.nodes_tried != told.nodes_tried)
    return true;
  if (now.low.empty()) return now.mean != told.mean;
  for (std::size_t k = 1; k < now.mean.size(); ++k) {
    if (now.mean[k] < told.low[k] || now.mean[k] > told.high[k]) return true;
    if (now.high[k] - now.low[k] < narrower * (told.high[k] - told.low[k]))
      return true;
  }
  return false;
}

}  // namespace

bool ScalingProfile::update(int nodes_max, Scaling scaling) {
  bool const as_many = told_.mean.size() == std::size_t(nodes_max) + 1;
  if (as_many && !std::exchange(is_due_, false)) return false;
  is_due_ = false;
  auto speeds = scaling == Scaling::measured
                    ? relative(advisor_.advise(nodes_max))
                    : Speeds();
  if (speeds.mean.empty()) speeds = guess(nodes_max);
  if (!differs(speeds, told_)) return false;
  told_ = std::move(speeds);
  told_.outline = alloc::outline_of(told_.mean);
  return true;
}

void ScalingProfile::set_prior(profile::Learned const& others,
                               profile::Learned own) {
  trainings_before_ = 0;
  for (auto const& size : others.sizes)
    trainings_before_ = std::max(trainings_before_, size.trainings);
  prior_ = profile::merged(others, own);
  if (!prior_.sizes.empty()) advisor_.set_prior(prior_);
  own_before_ = std::move(own);
}

/// What was taught has been refuted: from now on only what is measured counts.
void ScalingProfile::drop_prior() {
  prior_ = own_before_ = {};
  trainings_before_ = 0;
  advisor_.set_prior({});
}

void ScalingProfile::add(profile::Pace const& pace,
                         profile::Traits const& traits) {
  if (!(traits == traits_)) {
    traits_ = traits;
    advisor_.set_traits(traits);
  }
  bool const is_new_size = paces_.count(pace.nodes) == 0;
  paces_[pace.nodes] = pace;
  bool const is_news =
      is_new_size || pace.generation != heeded_.generation ||
      double(pace.steps) >= steps_factor * double(heeded_.steps) ||
      std::abs(pace.step_s - heeded_.step_s) > pace_change * heeded_.step_s;
  if (!is_news) return;
  heeded_ = pace;
  advisor_.add(pace);
  is_due_ = true;
  // Each new size may show that it is another training than those before it.
  if (is_new_size && !profile::agree(prior_, advisor_.learned(), traits_))
    drop_prior();
}

void ScalingProfile::Cost::add(double s) {
  if (!std::isfinite(s) || s < 0) return;
  s = std::min(s, cost_s_max);
  mean_s = seen++ == 0 ? s : mean_s + smoothing * (s - mean_s);
}

void ScalingProfile::add_resize(std::string const& kind, double prepare_s,
                                double stall_s) {
  if (kind == "expand" || kind == "mixed") expand_.add(stall_s);
  if (kind == "shrink" || kind == "mixed") shrink_.add(stall_s);
  if (kind == "loss") loss_.add(stall_s);
  if (kind == "start" || kind == "resume") start_.add(prepare_s);
}

profile::ResizeCosts ScalingProfile::costs(
    profile::ResizeCosts const& otherwise) const {
  auto const of = [](Cost const& cost, double s) {
    return cost.seen > 0 ? std::max(cost.mean_s, cost_s_min) : s;
  };
  return {of(expand_, otherwise.expand_s), of(shrink_, otherwise.shrink_s),
          of(start_, otherwise.start_s), of(loss_, otherwise.loss_s)};
}

}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// The formula, then one function for each extra.
#include "alloc/worth.hh"

#include <algorithm>
#include <cmath>

#include "core/contract.hh"

namespace gleaner::alloc {
namespace {

double speed_at(Trainer const& trainer, int count) {
  if (count < std::max(1, trainer.nodes_min)) return 0;
  EXPECT(static_cast<std::size_t>(count) < trainer.speed.size(), trainer.id,
         count, trainer.speed.size());
  return trainer.speed[static_cast<std::size_t>(count)];
}

int count_now(Trainer const& trainer) {
  return static_cast<int>(trainer.nodes.size());
}

double speed_now(Trainer const& trainer) {
  return speed_at(trainer, std::min(count_now(trainer), trainer.nodes_max));
}

/// How fast it is on one node, or would be if its first size scaled linearly.
double speed_of_one(Trainer const& trainer) {
  for (int k = std::max(1, trainer.nodes_min); k <= trainer.nodes_max; ++k)
    if (trainer.speed[static_cast<std::size_t>(k)] > 0)
      return trainer.speed[static_cast<std::size_t>(k)] / k;
  return 1;
}

}  // namespace

Worth::Worth(Problem const& problem, Extras const& extras, Wishes wishes)
    : problem_(problem), extras_(extras), wishes_(wishes) {}

void Worth::list(Trainer const& trainer, int most, double* worth) const {
  EXPECT(most >= 0 && static_cast<std::size_t>(most) < trainer.speed.size(),
         trainer.id, most, trainer.speed.size());
  List const list{trainer, most, scale(trainer), worth};
  earn(list);
  if (extras_.losses_per_node_s > 0) charge_losses(list);
  charge_resize(list);
  if (extras_.start_share > 0) charge_start(list);
  if (extras_.deadline_weight > 0 && wishes_ == Wishes::heeded)
    meet_deadline(list);
}

double Worth::at_most(Trainer const& trainer) const {
  EXPECT(!trainer.speed.empty(), trainer.id);
  return problem_.forward_looking_s * trainer.speed.back() * scale(trainer);
}

double Worth::swap_cost(Trainer const& trainer) const {
  return speed_now(trainer) * scale(trainer) *
         (trainer.expand_s + trainer.shrink_s);
}

double Worth::scale(Trainer const& trainer) const {
  if (!extras_.normalise) return 1;
  return (wishes_ == Wishes::heeded ? trainer.weight : 1) /
         speed_of_one(trainer);
}

void Worth::earn(List const& list) const {
  int const least =
      std::min(std::max(1, list.trainer.nodes_min), list.most + 1);
  std::fill_n(list.worth, least, 0.0);
  double const* const speed = list.trainer.speed.data();
  double const per_speed = problem_.forward_looking_s * list.scale;
  for (int k = least; k <= list.most; ++k) list.worth[k] = per_speed * speed[k];
}

void Worth::charge_losses(List const& list) const {
  double const share = extras_.losses_per_node_s * list.trainer.shrink_s;
  if (share == 0) return;
  for (int k = 1; k <= list.most; ++k) list.worth[k] /= 1 + share * k;
}

void Worth::charge_resize(List const& list) const {
  double const speed = speed_now(list.trainer) * list.scale;
  if (speed == 0) return;
  int const now = count_now(list.trainer);
  double const shrink = speed * list.trainer.shrink_s;
  double const expand = speed * list.trainer.expand_s;
  for (int k = 0; k < std::min(now, list.most + 1); ++k)
    list.worth[k] -= shrink;
  for (int k = now + 1; k <= list.most; ++k) list.worth[k] -= expand;
}

void Worth::charge_start(List const& list) const {
  if (!list.trainer.nodes.empty() || list.trainer.start_s == 0) return;
  double const per_speed =
      extras_.start_share * list.trainer.start_s * list.scale;
  for (int k = std::max(1, list.trainer.nodes_min); k <= list.most; ++k)
    list.worth[k] -=
        per_speed * list.trainer.speed[static_cast<std::size_t>(k)];
}

/// Up to the speed that just meets the deadline, speed counts more.
void Worth::meet_deadline(List const& list) const {
  auto const& trainer = list.trainer;
  if (!trainer.deadline_s || trainer.work_left <= 0) return;
  double const needed = trainer.work_left / std::max(1.0, *trainer.deadline_s);
  double const per_speed =
      extras_.deadline_weight * problem_.forward_looking_s * list.scale;
  for (int k = 1; k <= list.most; ++k)
    list.worth[k] += per_speed * std::min(needed, speed_at(trainer, k));
}

WorthBound::WorthBound(Worth const& worth, Trainer const& trainer, double extra)
    : extra_(extra), now_(count_now(trainer)) {
  auto const& extras = worth.extras_;
  double const scale = worth.scale(trainer);
  per_speed_ = worth.problem_.forward_looking_s * scale;
  loss_share_ = extras.losses_per_node_s * trainer.shrink_s;
  bool const starts = trainer.nodes.empty();
  start_per_speed_ = starts ? extras.start_share * trainer.start_s * scale : 0;
  double const speed = speed_now(trainer) * scale;
  shrink_ = speed * trainer.shrink_s;
  expand_ = speed * trainer.expand_s;
  bool const hurries = extras.deadline_weight > 0 && trainer.deadline_s &&
                       worth.wishes_ == Worth::Wishes::heeded;
  deadline_ = hurries ? extras.deadline_weight * per_speed_ *
                            std::max(0.0, trainer.work_left) /
                            std::max(1.0, *trainer.deadline_s)
                      : 0;
}

double WorthBound::at_most(SpeedOutline::Stretch const& stretch,
                           double price) const {
  double const share = std::max(
      0.0, per_speed_ / (1 + loss_share_ * stretch.first) - start_per_speed_);
  // Of a line and a price the most is at an end.  Sums round.
  auto const end = [&](int count) {
    double const earned = share * (stretch.intercept + stretch.slope * count);
    return earned + 1e-12 * std::abs(earned) + (extra_ - price) * count;
  };
  double const charged = stretch.first > now_  ? expand_
                         : stretch.last < now_ ? shrink_
                                               : 0;
  return std::max(end(stretch.first), end(stretch.last)) + deadline_ - charged;
}

double work_left_s(Trainer const& trainer) {
  return trainer.work_left / speed_of_one(trainer);
}

double predicted_gain(Problem const& problem, Plan const& plan,
                      Extras const& extras) {
  EXPECT(plan.size() == problem.trainers.size(), plan.size(),
         problem.trainers.size());
  Worth const worth(problem, extras);
  double sum = 0;
  std::vector<double> list;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    auto const& trainer = problem.trainers[i];
    list.resize(static_cast<std::size_t>(trainer.nodes_max) + 1);
    worth.list(trainer, trainer.nodes_max, list.data());
    EXPECT(plan[i].size() < list.size(), trainer.id, plan[i].size(),
           trainer.nodes_max);
    sum += list[plan[i].size()];
  }
  return sum;
}

}  // namespace gleaner::alloc

// SPDX-License-Identifier: Apache-2.0
/// Trainings are averaged by their number, in the logarithm, for times are
/// compared by their ratios.
#include "profile/learned.hh"

#include <algorithm>
#include <cmath>

namespace gleaner::profile {
namespace {

/// More trainings than this say no more: the next one differs all the same,
/// and programs change.
constexpr int trainings_most = 32;

double mean_of_logs(double a, double b, double part) {
  if (a <= 0 || b <= 0) return part < 0.5 ? a : b;
  return std::exp((1 - part) * std::log(a) + part * std::log(b));
}

LearnedSize both(LearnedSize const& a, LearnedSize const& b) {
  double const part = static_cast<double>(b.trainings) /
                      static_cast<double>(a.trainings + b.trainings);
  LearnedSize sum = a;
  sum.trainings = std::min(a.trainings + b.trainings, trainings_most);
  sum.step_s = mean_of_logs(a.step_s, b.step_s, part);
  sum.compute_s = mean_of_logs(a.compute_s, b.compute_s, part);
  sum.exposed_s = (1 - part) * a.exposed_s + part * b.exposed_s;
  // Where they differ by more than they know, the difference is what a third
  // one may differ by.
  double const apart = std::log(b.step_s / a.step_s);
  sum.step_sd = std::sqrt((1 - part) * a.step_sd * a.step_sd +
                          part * b.step_sd * b.step_sd +
                          part * (1 - part) * apart * apart);
  return sum;
}

}  // namespace

Learned merged(Learned const& known, Learned const& added) {
  if (known.sizes.empty()) return added;
  Learned sum = known;
  for (auto const& size : added.sizes) {
    auto const at = std::lower_bound(
        sum.sizes.begin(), sum.sizes.end(), size.members,
        [](auto const& other, int members) { return other.members < members; });
    if (at != sum.sizes.end() && at->members == size.members)
      *at = both(*at, size);
    else
      sum.sizes.insert(at, size);
  }
  return sum;
}

}  // namespace gleaner::profile

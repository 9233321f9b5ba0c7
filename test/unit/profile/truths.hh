// SPDX-License-Identifier: Apache-2.0
/// Trainings that do not exist, to try an advisor on: what they really are, and
/// what would be measured of them.
///
/// Not drawn from the advisor's own population: sums are hidden behind compute
/// for a part, costs are drawn evenly from ranges, measuring errs as it does.
#pragma once

#include <cmath>
#include <random>

#include "profile/pace.hh"

namespace gleaner::profile {

enum class Truth {
  plain,
  communication,
  staircase,
  collapse,
  drift,
  stragglers
};

class TrueTraining {
 public:
  using Random = std::mt19937_64;

  TrueTraining(Truth truth, Random& random) : truth_(truth), random_(random) {
    batch = staircase() ? whole(32, 256) : whole(512, 16384);
    double const work_s = logarithmic(0.2, 200);
    sample_s_ = work_s / static_cast<double>(batch);
    bool const heavy = truth == Truth::communication;
    fixed_s_ = work_s * logarithmic(1e-4, 3e-3);
    update_s_ = work_s * logarithmic(1e-4, 2e-3);
    hop_s_ = work_s * logarithmic(2e-5, heavy ? 5e-3 : 8e-4);
    bytes_s_ = work_s * logarithmic(1e-4, heavy ? 2e-2 : 3e-3);
    wait_ = even(0, 0.03);
    hidden_ = even(0, 0.6);
    collapse_at_ = whole(6, 48);
    collapse_ = even(1.5, 4);
    noise_ = even(0.03, 0.05);
    uneven_ = even(0, 0.03);
    for (double& phase : phases_) phase = even(0, 6.28);
  }

  /// What an advisor should say, of now.
  double step_s(int m) const { return drifted_ * at(m).step_s; }
  bool collapsed(int m) const {
    return truth_ == Truth::collapse && m >= collapse_at_;
  }

  /// What the next generation, of m members, shows.
  Pace measured(int m) {
    if (truth_ == Truth::drift) drifted_ *= 1 + normal(0.01) + 0.003;
    auto const parts = at(m);
    Pace pace;
    pace.generation = ++generation_;
    pace.nodes = pace.members = m;
    pace.steps = static_cast<std::uint64_t>(whole(30, 300));
    double const all = drifted_ * (1 + normal(0.006));
    double const median =
        1.25 * noise_ / std::sqrt(static_cast<double>(pace.steps));
    double const largest_s = all * parts.compute_s * (1 + normal(0.01));
    pace.compute_s = mean_over_largest(m) * largest_s;
    pace.compute_max_s = largest_s * (1 + 0.01 * std::log2(m));
    pace.exposed_s = all * parts.exposed_s * std::max(0.0, 1 + normal(0.08));
    pace.step_s = all * parts.step_s * (1 + normal(median));
    pace.step_spread_s = 1.349 * noise_ * pace.step_s * even(0.8, 1.2);
    if (truth_ == Truth::stragglers && even(0, 1) < 0.3) {
      double const slower = even(0.1, 1) * pace.compute_s;
      pace.compute_max_s += slower;
      pace.compute_s += slower / m;
      pace.step_s += slower;
    }
    return pace;
  }

  double even(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random_);
  }
  int whole(int low, int high) {
    return std::uniform_int_distribution<>(low, high)(random_);
  }
  double logarithmic(double low, double high) {
    return std::exp(even(std::log(low), std::log(high)));
  }

  int batch = 0;

 private:
  struct Parts {
    double compute_s, exposed_s, step_s;
  };

  bool staircase() const { return truth_ == Truth::staircase; }
  double normal(double deviation) {
    return std::normal_distribution<>(0, deviation)(random_);
  }

  /// Members have shares that differ by a sample.
  double mean_over_largest(int m) const {
    return (fixed_s_ + sample_s_ * batch / m) /
           (fixed_s_ + sample_s_ * ((batch + m - 1) / m));
  }

  Parts at(int m) const {
    double const samples = (batch + m - 1) / m;
    double const compute_s = fixed_s_ + sample_s_ * samples;
    double const hops = std::log2(m);
    double const sum_s = hop_s_ * hops + bytes_s_ * 2 * (m - 1) / m;
    double exposed_s =
        m == 1 ? 0
               : std::max(0.2 * sum_s, sum_s - hidden_ * 0.2 * compute_s) +
                     wait_ * compute_s * std::sqrt(hops);
    if (collapsed(m)) exposed_s += (collapse_ - 1) * (compute_s + exposed_s);
    double const off = 1 + uneven(m);
    return {off * compute_s, off * exposed_s,
            off * (compute_s + exposed_s + update_s_)};
  }

  /// What no formula knows: a wave along the doublings, and each size's own.
  double uneven(int m) const {
    double const x = std::log2(m);
    return uneven_ *
           (std::sin(x + phases_[0]) + 0.5 * std::sin(2.7 * x + phases_[1]) +
            0.3 * std::sin(7919.0 * m + phases_[2]));
  }

  Truth truth_;
  Random& random_;
  double sample_s_, fixed_s_, update_s_, hop_s_, bytes_s_, wait_, hidden_;
  int collapse_at_;
  double collapse_, noise_, uneven_;
  double phases_[3];
  double drifted_ = 1;
  std::uint64_t generation_ = 0;
};

}  // namespace gleaner::profile

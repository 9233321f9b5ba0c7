// SPDX-License-Identifier: Apache-2.0
#include "profile/step_model.hh"

#include <cmath>

namespace gleaner::profile {
namespace {

/// What multiplies work, by parameter.
struct Factors {
  double share, hops, volume, others;
};

Factors factors(double share, int members) {
  double const m = members;
  return {share, std::log2(m), 2 * (m - 1) / m, m - 1};
}

}  // namespace

double StepModel::share(int members) const {
  if (batch_ == 0) return 1.0 / members;
  auto const m = static_cast<std::uint64_t>(members);
  return static_cast<double>((batch_ + m - 1) / m) /
         static_cast<double>(batch_);
}

StepParts StepModel::parts(Vector const& v, int members) const {
  auto const f = factors(share(members), members);
  StepParts parts;
  parts.compute_slope[work] = v[work] * (f.share + v[fixed]);
  parts.compute_slope[fixed] = v[work] * v[fixed];
  parts.compute_s = parts.compute_slope[work];
  parts.elsewhere_slope[work] = parts.elsewhere_slope[elsewhere] =
      v[work] * v[elsewhere];
  parts.elsewhere_s = parts.elsewhere_slope[work];
  auto& exposed = parts.exposed_slope;
  exposed[hop] = v[work] * v[hop] * f.hops;
  exposed[volume] = v[work] * v[volume] * f.volume;
  exposed[crowd] = v[work] * v[crowd] * f.others;
  exposed[wait] = v[work] * v[wait] * f.share * f.hops;
  parts.exposed_s = exposed[work] =
      exposed[hop] + exposed[volume] + exposed[crowd] + exposed[wait];
  return parts;
}

double StepModel::step_s(Vector const& v, int members) const {
  auto const f = factors(share(members), members);
  return v[work] *
         (f.share * (1 + v[wait] * f.hops) + v[fixed] + v[elsewhere] +
          v[hop] * f.hops + v[volume] * f.volume + v[crowd] * f.others);
}

Vector values_of(Vector const& logs) {
  Vector values;
  for (std::size_t i = 0; i < parameters; ++i) values[i] = std::exp(logs[i]);
  return values;
}

}  // namespace gleaner::profile

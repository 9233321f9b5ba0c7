// SPDX-License-Identifier: Apache-2.0
/// Gauss–Newton on the formula's parameters, with the rest as a Gaussian
/// process: Rasmussen and Williams, Gaussian Processes, 2.7.
#include "profile/step_fit.hh"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/contract.hh"

namespace gleaner::profile {
namespace {

using Of = SizeSample::Of;

/// What trainings are like: medians, relative to the compute of a batch, and
/// standard deviations of the logarithm.  Wide: a factor of four either way is
/// nothing unusual.
constexpr Vector usual{1, 1e-3, 7e-4, 2e-4, 5e-4, 1e-6, 0.012};
constexpr Vector usual_sd{10, 1.5, 1.5, 1.5, 1.5, 2, 1.3};
/// A sum's bytes are hidden behind the backward pass for a part, and links
/// differ: seconds exposed for each byte, to a factor.
constexpr double exposed_s_per_byte = 2e-10;

/// What the formula does not know, as standard deviations of the logarithm:
constexpr double walk_sd = 0.022;        ///< for each doubling
constexpr double own_sd = 0.007;         ///< of a size
constexpr double compute_sd = 0.02;      ///< of a size's compute
constexpr double drift_sd = 0.011;       ///< of all, for each generation
constexpr double earlier_sd = 0.04;      ///< of another training, of all
constexpr double earlier_own_sd = 0.02;  ///< of another training, of a size
/// … and of exposed and elsewhere, as parts of themselves and of a step.
constexpr double part_sd = 0.15;
constexpr double part_least_sd = 0.006;

/// Freedom of the Student distribution of the walk's steps.
constexpr double freedom = 3;
/// Beyond this, squared and in standard deviations, a step is a jump.
constexpr double jump = 9;
/// Exposed sums usually grow by no more of a step for each doubling; what is
/// more counts so much in the logarithm.
constexpr double slope_usual = 0.1, cliff_share = 1.5;
/// So many times the exposed communication that is usual is far from it.
constexpr double unusual = 5;
/// Less of a step is communication as others have it, however they do it.
constexpr double most_of_step = 0.25;
/// What sums may be like in trainings that mostly communicate.
constexpr double unusual_hop_sd = 3, unusual_crowd_sd = 4;
constexpr int rounds = 4;

constexpr double z90 = 1.645;

bool has_parts(SizeSample const& sample) { return sample.compute_s > 0; }

double part_deviation(SizeSample const& sample, double part_s) {
  return part_sd * part_s + part_least_sd * sample.step_s;
}

double place(int members) { return std::log2(members); }

Matrix inverse_of(Cholesky const& cholesky, std::size_t size) {
  Matrix inverse(size);
  std::vector<double> column(size);
  for (std::size_t j = 0; j < size; ++j) {
    std::fill(column.begin(), column.end(), 0.0);
    column[j] = 1;
    cholesky.solve(column);
    for (std::size_t i = 0; i < size; ++i) inverse(i, j) = column[i];
  }
  return inverse;
}

}  // namespace

StepFit::StepFit(StepModel model, std::vector<SizeSample> samples,
                 double gradient_bytes, Start start)
    : model_(model), samples_(std::move(samples)) {
  choose_population(gradient_bytes);
  begin(start);
  for (auto const& sample : samples_) places_.push_back(place(sample.members));
  std::sort(places_.begin(), places_.end());
  places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  parts_room_.resize(samples_.size());
  room_.assign(places_.empty() ? 0 : places_.size() - 1, 1.0);
  for (int round = 0; round < rounds; ++round) {
    Cholesky const spread(covariance());
    descend(spread);
    if (round == rounds - 1 || samples_.empty()) {
      conclude(spread);
      break;
    }
    make_room(inverse_of(spread, 2 * samples_.size()));
  }
}

void StepFit::choose_population(double gradient_bytes) {
  for (std::size_t i = 0; i < parameters; ++i)
    population_[i] = std::log(usual[i]);
  population_sd_ = usual_sd;
  if (samples_.empty()) {
    population_sd_[work] = 1e-3;  // it is the unit then
    return;
  }
  auto const& sample = samples_.front();
  auto const unit = values_of(population_);
  double const guess =
      has_parts(sample)
          ? sample.compute_s / model_.parts(unit, sample.members).compute_s
          : sample.step_s / model_.parts(unit, sample.members).step_s();
  population_[work] = std::log(guess);
  if (gradient_bytes > 0)
    population_[volume] = std::clamp(
        std::log(gradient_bytes * exposed_s_per_byte / guess), -16.0, -1.0);
}

void StepFit::begin(Start start) {
  best_ = population_;
  auto const usual_values = values_of(population_);
  for (auto const& sample : samples_) {
    if (!has_parts(sample) || sample.members < 2) continue;
    auto const usual_s = model_.parts(usual_values, sample.members).exposed_s;
    if (sample.exposed_s < unusual * usual_s ||
        sample.exposed_s < most_of_step * sample.step_s)
      continue;
    is_unusual_ = true;
    if (start == Start::usual) return;
    population_sd_[hop] = unusual_hop_sd;
    population_sd_[crowd] = unusual_crowd_sd;
    double const m = sample.members;
    double const third = sample.exposed_s / usual_values[work] / 3;
    best_[hop] = std::log(third / std::log2(m));
    best_[volume] = std::log(third / (2 * (m - 1) / m));
    best_[crowd] = std::log(third / (m - 1));
    return;
  }
}

/// How far the walk has come at x, from the first place.
double StepFit::walked(double x) const {
  EXPECT(places_.size() == room_.size() + 1, places_.size(), room_.size());
  double sum = std::min(0.0, x - places_.front());
  for (std::size_t i = 0; i + 1 < places_.size(); ++i)
    sum +=
        room_[i] * std::clamp(x - places_[i], 0.0, places_[i + 1] - places_[i]);
  return sum + std::max(0.0, x - places_.back());
}

/// Covariance of the walk, which is 0 at the first place: where it begins
/// does not matter, for the level is free.
double StepFit::walk(double x, double y) const {
  double const a = walked(x), b = walked(y);
  if (a * b <= 0) return 0;
  return walk_sd * walk_sd * std::min(std::abs(a), std::abs(b));
}

/// Of the logarithms of steps, then of those of compute.
Matrix StepFit::covariance() const {
  auto const count = samples_.size();
  Matrix sum(2 * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      auto const &a = samples_[i], &b = samples_[j];
      double shared = 0;
      if (a.of != b.of)
        shared = 0;
      else if (a.of == Of::this_training)
        shared = drift_sd * drift_sd *
                 std::min(a.generations_ago, b.generations_ago);
      else
        shared = earlier_sd * earlier_sd * earlier_room_;
      bool const same_size = a.members == b.members;
      double own = 0;
      if (i == j) {
        own = a.noise * a.noise;
        if (a.of == Of::earlier_ones) own += earlier_own_sd * earlier_own_sd;
      }
      sum(i, j) = shared + own + (same_size ? own_sd * own_sd : 0) +
                  walk(place(a.members), place(b.members));
      sum(count + i, count + j) =
          shared + own + (same_size ? compute_sd * compute_sd : 0);
      if (i == j)
        sum(count + i, count + i) +=
            compute_sd * compute_sd * (parts_room_[i].compute - 1);
      sum(i, count + j) = sum(count + j, i) = shared;
    }
  for (std::size_t i = 0; i < count; ++i)
    if (!has_parts(samples_[i])) sum(count + i, count + i) = 1e8;
  return sum;
}

std::vector<double> StepFit::residuals(Vector const& at) const {
  auto const count = samples_.size();
  std::vector<double> result(2 * count);
  auto const values = values_of(at);
  for (std::size_t i = 0; i < count; ++i) {
    auto const parts = model_.parts(values, samples_[i].members);
    result[i] = std::log(samples_[i].step_s / parts.step_s());
    if (has_parts(samples_[i]))
      result[count + i] = std::log(samples_[i].compute_s / parts.compute_s);
  }
  return result;
}

double StepFit::misfit(Cholesky const& spread, Vector const& at) const {
  double sum = 0;
  for (std::size_t k = 0; k < parameters; ++k) {
    double const off = (at[k] - population_[k]) / population_sd_[k];
    sum += off * off;
  }
  auto r = residuals(at);
  spread.whiten(r);
  for (double value : r) sum += value * value;
  auto const values = values_of(at);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    auto const& sample = samples_[i];
    if (!has_parts(sample)) continue;
    auto const parts = model_.parts(values, sample.members);
    double const exposed = (sample.exposed_s - parts.exposed_s) /
                           part_deviation(sample, sample.exposed_s);
    double const rest = (sample.elsewhere_s - parts.elsewhere_s) /
                        part_deviation(sample, sample.elsewhere_s);
    sum += exposed * exposed / parts_room_[i].exposed +
           rest * rest / parts_room_[i].elsewhere;
  }
  return sum;
}

/// Normal equations: information, and what pulls the parameters.
struct StepFit::Equations {
  Matrix information{parameters};
  Vector pull{};

  void add(Vector const& slope, double off, double weight) {
    for (std::size_t a = 0; a < parameters; ++a) {
      pull[a] += weight * slope[a] * off;
      for (std::size_t b = 0; b < parameters; ++b)
        information(a, b) += weight * slope[a] * slope[b];
    }
  }
};

namespace {

Vector divided(Vector slope, double by) {
  for (double& value : slope) value /= by;
  return slope;
}

Vector step_slope(StepParts const& parts) {
  Vector slope;
  for (std::size_t k = 0; k < parameters; ++k)
    slope[k] = (parts.compute_slope[k] + parts.elsewhere_slope[k] +
                parts.exposed_slope[k]) /
               parts.step_s();
  return slope;
}

/// Slopes of the logarithms, whitened: of steps, then of compute.
std::vector<Vector> whitened_slopes(StepModel const& model,
                                    std::vector<SizeSample> const& samples,
                                    Vector const& at, Cholesky const& spread) {
  auto const count = samples.size();
  std::vector<Vector> slopes(2 * count);
  auto const values = values_of(at);
  for (std::size_t i = 0; i < count; ++i) {
    auto const parts = model.parts(values, samples[i].members);
    slopes[i] = step_slope(parts);
    if (has_parts(samples[i]))
      slopes[count + i] = divided(parts.compute_slope, parts.compute_s);
  }
  std::vector<double> column(2 * count);
  for (std::size_t k = 0; k < parameters; ++k) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = slopes[i][k];
    spread.whiten(column);
    for (std::size_t i = 0; i < column.size(); ++i) slopes[i][k] = column[i];
  }
  return slopes;
}

}  // namespace

void StepFit::add_parts(Equations& equations, Vector const& values) const {
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    auto const& sample = samples_[i];
    if (!has_parts(sample)) continue;
    auto const parts = model_.parts(values, sample.members);
    double const exposed_sd = part_deviation(sample, sample.exposed_s);
    equations.add(parts.exposed_slope, sample.exposed_s - parts.exposed_s,
                  1 / (exposed_sd * exposed_sd * parts_room_[i].exposed));
    double const rest_sd = part_deviation(sample, sample.elsewhere_s);
    equations.add(parts.elsewhere_slope, sample.elsewhere_s - parts.elsewhere_s,
                  1 / (rest_sd * rest_sd * parts_room_[i].elsewhere));
  }
}

void StepFit::descend(Cholesky const& spread) {
  double now = misfit(spread, best_);
  for (int step = 0; step < 8; ++step) {
    Equations equations;
    for (std::size_t k = 0; k < parameters; ++k) {
      Vector unit{};
      unit[k] = 1;
      equations.add(unit, population_[k] - best_[k],
                    1 / (population_sd_[k] * population_sd_[k]));
    }
    auto off = residuals(best_);
    spread.whiten(off);
    auto const slopes = whitened_slopes(model_, samples_, best_, spread);
    for (std::size_t i = 0; i < off.size(); ++i)
      equations.add(slopes[i], off[i], 1);
    add_parts(equations, values_of(best_));
    auto move = equations.pull;
    Cholesky(equations.information).solve(move);
    double part = 1;
    for (double& value : move) value = std::clamp(value, -3.0, 3.0);
    auto const was = best_;
    double then = now;
    for (int half = 0; half < 8; ++half, part /= 2) {
      for (std::size_t k = 0; k < parameters; ++k)
        best_[k] = was[k] + part * move[k];
      then = misfit(spread, best_);
      if (then < now) break;
    }
    if (!(then < now)) {
      best_ = was;
      return;
    }
    bool const settled = now - then < 1e-2;
    now = then;
    if (settled) return;
  }
}

/// The same for parts: what a collapse does to the sums beyond it says nothing
/// of those before it.
void StepFit::make_parts_room(std::vector<double> const& compute_off) {
  auto const room = [](double off) {
    return std::max(1.0, (freedom + off * off) / (freedom + 1));
  };
  auto const values = values_of(best_);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    auto const& sample = samples_[i];
    if (!has_parts(sample)) continue;
    auto const parts = model_.parts(values, sample.members);
    parts_room_[i] = {room(compute_off[i] / compute_sd),
                      room((sample.elsewhere_s - parts.elsewhere_s) /
                           part_deviation(sample, sample.elsewhere_s)),
                      room((sample.exposed_s - parts.exposed_s) /
                           part_deviation(sample, sample.exposed_s))};
  }
}

/// Sums that take much more of a step on one side of a stretch than on the
/// other may have grown all the way or at one size: how far apart that is.
double StepFit::cliff(std::size_t stretch) const {
  double below = 0, above = 0;
  for (auto const& sample : samples_) {
    if (!has_parts(sample)) continue;
    double const exposed = sample.exposed_s / sample.step_s;
    if (place(sample.members) == places_[stretch]) below = exposed;
    if (place(sample.members) == places_[stretch + 1]) above = exposed;
  }
  double const doublings = places_[stretch + 1] - places_[stretch];
  return cliff_share * std::max(0.0, above - below - slope_usual * doublings);
}

/// Student's distribution as a mixture: each stretch of the walk gets the
/// variance that its own step makes probable, and so does what earlier
/// trainings have in common.
void StepFit::make_room(Matrix const& inverse) {
  auto const count = samples_.size();
  auto const off = residuals(best_);
  std::vector<double> pull(count), compute_off(count);
  double earlier = 0;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 2 * count; ++j) sum += inverse(i, j) * off[j];
    if (i < count)
      pull[i] = sum;
    else
      compute_off[i - count] =
          compute_sd * compute_sd * parts_room_[i - count].compute * sum;
    if (samples_[i % count].of == Of::earlier_ones) earlier += sum;
  }
  auto const usual_step = [&](std::size_t stretch) {
    return walk_sd * walk_sd * (places_[stretch + 1] - places_[stretch]);
  };
  std::vector<double> walked_to;
  for (double x : places_) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += walk(x, place(samples_[i].members)) * pull[i];
    walked_to.push_back(sum);
  }
  for (std::size_t i = 0; i < room_.size(); ++i) {
    double const step = walked_to[i + 1] - walked_to[i];
    double const square = (step * step + cliff(i) * cliff(i)) / usual_step(i);
    // A jump may be anywhere between two sizes, and each size has all or
    // nothing of it: its own square is the variance.
    room_[i] = square > jump ? square : (freedom + square) / (freedom + 1);
  }
  make_parts_room(compute_off);
  double const variance = earlier_sd * earlier_sd;
  double const offset = variance * earlier_room_ * earlier;
  earlier_off_ = offset;
  earlier_room_ =
      std::max(1.0, (freedom + offset * offset / variance) / (freedom + 1));
}

void StepFit::conclude(Cholesky const& spread) {
  auto const count = samples_.size();
  values_ = values_of(best_);
  Equations equations;
  for (std::size_t k = 0; k < parameters; ++k)
    equations.information(k, k) = 1 / (population_sd_[k] * population_sd_[k]);
  for (auto const& slope : whitened_slopes(model_, samples_, best_, spread))
    equations.add(slope, 0, 1);
  add_parts(equations, values_);
  doubt_ = inverse_of(Cholesky(equations.information), parameters);

  pull_ = residuals(best_);
  spread.solve(pull_);
  auto const inverse = inverse_of(spread, 2 * count);
  gain_.assign(count, std::vector<double>(count));
  slope_gain_.assign(count, Vector{});
  std::vector<Vector> slopes(2 * count);
  for (std::size_t j = 0; j < count; ++j) {
    auto const parts = model_.parts(values_, samples_[j].members);
    slopes[j] = step_slope(parts);
    if (has_parts(samples_[j]))
      slopes[count + j] = divided(parts.compute_slope, parts.compute_s);
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < 2 * count; ++j) {
      if (j < count) gain_[i][j] = inverse(i, j);
      for (std::size_t k = 0; k < parameters; ++k)
        slope_gain_[i][k] += inverse(i, j) * slopes[j][k];
    }
}

StepTime StepFit::at(int members) const {
  auto const count = samples_.size();
  auto const parts = model_.parts(values_, members);
  auto const slope = step_slope(parts);
  auto left = slope;  // of the slope, once what was measured is known
  double shift = 0;
  double variance = own_sd * own_sd;
  double const x = place(members);
  if (!places_.empty()) variance += walk(x, x);
  std::vector<double> shared(count);
  for (std::size_t i = 0; i < count; ++i) {
    shared[i] = walk(x, place(samples_[i].members)) +
                (members == samples_[i].members ? own_sd * own_sd : 0);
    shift += shared[i] * pull_[i];
    for (std::size_t k = 0; k < parameters; ++k)
      left[k] -= shared[i] * slope_gain_[i][k];
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      variance -= shared[i] * gain_[i][j] * shared[j];
  variance = std::max(variance, 1e-8);

  // The formula is far from linear where a part is hardly known, so both ends
  // are looked up along the direction in which the parameters matter.
  Vector direction{};
  double doubt = 0;
  for (std::size_t a = 0; a < parameters; ++a) {
    for (std::size_t b = 0; b < parameters; ++b)
      direction[a] += doubt_(a, b) * left[b];
    doubt += left[a] * direction[a];
  }
  double const step_s = parts.step_s();
  double const scale = doubt > 0 ? z90 / std::sqrt(doubt) : 0;
  Vector above, below;
  double bend = 0;  // what the fit takes back of the formula's slope
  for (std::size_t k = 0; k < parameters; ++k) {
    double const factor = std::exp(scale * direction[k]);
    above[k] = values_[k] * factor;
    below[k] = values_[k] / factor;
    bend += (slope[k] - left[k]) * scale * direction[k];
  }
  double const up =
      std::max(0.0, std::log(model_.step_s(above, members) / step_s) - bend);
  double const down =
      std::min(0.0, std::log(model_.step_s(below, members) / step_s) + bend);
  double const rest = z90 * z90 * variance;
  double const median_s = step_s * std::exp(shift);
  return {median_s, median_s * std::exp(-std::sqrt(down * down + rest)),
          median_s * std::exp(std::sqrt(up * up + rest))};
}

}  // namespace gleaner::profile

// SPDX-License-Identifier: Apache-2.0
/// Which step times fit what was measured, and how sure are we of them?
///
/// The logarithm of a step time is that of the formula (step_model) with
/// parameters from a wide population, plus what the formula does not know: a
/// random walk along log2 of the members, and a little of each size's own.  So
/// a measured size counts as measured, its neighbours follow it, and doubt
/// grows with the distance.  A step of the walk that the measurements make
/// improbable is given more room (as by Student's distribution), which is how a
/// collapse beyond some size stays where it is.  A measurement ages: the
/// training's speed as a whole wanders from generation to generation.
#pragma once

#include <vector>

#include "profile/cholesky.hh"
#include "profile/step_model.hh"

namespace gleaner::profile {

/// What is known of one size.
struct SizeSample {
  int members = 0;
  double step_s = 0;     ///< without stragglers
  double noise = 0;      ///< relative standard error of step_s
  double compute_s = 0;  ///< 0: not known, and the next two neither
  double elsewhere_s = 0;
  double exposed_s = 0;
  double generations_ago = 0;
  enum class Of { this_training, earlier_ones } of = Of::this_training;
};

/// An interval that holds the truth nine times in ten, and its middle.
struct StepTime {
  double median_s = 0;
  double low_s = 0;
  double high_s = 0;
};

class StepFit {
 public:
  /// Where the search begins.  Much exposed communication may be what a
  /// training mostly does, and grow with its members; or a jump at some size.
  /// The search finds the one that is nearer.
  enum class Start { usual, measured };

  /// Fit; of nothing it makes the population's curve, with 1 s of work.
  StepFit(StepModel model, std::vector<SizeSample> samples,
          double gradient_bytes, Start start);

  StepTime at(int members) const;

  /// A sample has so much exposed communication that the other start may find
  /// something else.
  bool is_unusual() const { return is_unusual_; }

  /// By how much earlier trainings' steps were longer than this one's, as a
  /// logarithm, whatever the size.
  double earlier_off() const { return earlier_off_; }

 private:
  struct Equations;

  void choose_population(double gradient_bytes);
  void begin(Start start);
  Matrix covariance() const;
  double walk(double x, double y) const;
  double walked(double x) const;
  void add_parts(Equations& equations, Vector const& values) const;
  void descend(Cholesky const& spread);
  double misfit(Cholesky const& spread, Vector const& at) const;
  std::vector<double> residuals(Vector const& at) const;
  void make_room(Matrix const& inverse);
  double cliff(std::size_t stretch) const;
  void make_parts_room(std::vector<double> const& compute_off);
  void conclude(Cholesky const& spread);

  StepModel model_;
  std::vector<SizeSample> samples_;
  Vector population_{};
  Vector population_sd_{};

  Vector best_{};    ///< parameters
  Vector values_{};  ///< exp() of them
  /// The walk: where sizes were seen, and how much room each stretch between
  /// them has, as a multiple of the usual.
  std::vector<double> places_;
  std::vector<double> room_;
  double earlier_room_ = 1;
  double earlier_off_ = 0;
  bool is_unusual_ = false;
  /// The same for each sample's compute, elsewhere and exposed.
  struct PartsRoom {
    double compute = 1, elsewhere = 1, exposed = 1;
  };
  std::vector<PartsRoom> parts_room_;

  std::vector<double> pull_;               ///< covariance⁻¹ · residuals
  std::vector<std::vector<double>> gain_;  ///< covariance⁻¹, of steps only
  std::vector<Vector> slope_gain_;         ///< covariance⁻¹ · slopes
  Matrix doubt_{0};                        ///< covariance of the parameters
};

}  // namespace gleaner::profile

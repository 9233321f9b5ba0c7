// SPDX-License-Identifier: Apache-2.0
/// Small systems of equations with a positive definite matrix.
///
/// By hand, because the largest has some twenty unknowns.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace gleaner::profile {

/// A square matrix, by rows.
class Matrix {
 public:
  explicit Matrix(std::size_t size) : size_(size), values_(size * size) {}
  std::size_t size() const { return size_; }
  double& operator()(std::size_t row, std::size_t column) {
    return values_[row * size_ + column];
  }
  double operator()(std::size_t row, std::size_t column) const {
    return values_[row * size_ + column];
  }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// The lower triangle L with L · Lᵀ = `matrix`, which must be positive
/// definite; a pivot lost to rounding becomes a very small one.
class Cholesky {
 public:
  explicit Cholesky(Matrix matrix) : lower_(std::move(matrix)) {
    for (std::size_t i = 0; i < lower_.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = lower_(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= lower_(i, k) * lower_(j, k);
        lower_(i, j) =
            i == j ? std::sqrt(std::max(sum, 1e-18)) : sum / lower_(j, j);
      }
  }

  /// L⁻¹ · v: what was correlated becomes independent, with variance 1.
  template <class V>
  void whiten(V& v) const {
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) v[i] -= lower_(i, k) * v[k];
      v[i] /= lower_(i, i);
    }
  }

  /// L⁻ᵀ · v.
  template <class V>
  void unwhiten(V& v) const {
    for (std::size_t i = lower_.size(); i-- > 0;) {
      for (std::size_t k = i + 1; k < lower_.size(); ++k)
        v[i] -= lower_(k, i) * v[k];
      v[i] /= lower_(i, i);
    }
  }

  /// matrix⁻¹ · v.
  template <class V>
  void solve(V& v) const {
    whiten(v);
    unwhiten(v);
  }

  double log_determinant() const {
    double sum = 0;
    for (std::size_t i = 0; i < lower_.size(); ++i)
      sum += 2 * std::log(lower_(i, i));
    return sum;
  }

 private:
  Matrix lower_;
};

}  // namespace gleaner::profile

// SPDX-License-Identifier: Apache-2.0
/// The Adam optimizer, with every number it remembers in plain sight.
///
/// Its own, because a process that joins must go on exactly where the others
/// are: the moments and the step count are registered with Gleaner like the
/// parameters.  It is a function of them and of the gradients alone.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace char_lm {

class Adam {
 public:
  /// What belongs to one parameter.
  struct Slot {
    std::string name;
    float* value;
    float const* gradient;
    std::vector<float> mean;      ///< running mean of the gradient
    std::vector<float> variance;  ///< running mean of its square
  };

  explicit Adam(double learning_rate) : learning_rate_(learning_rate) {}

  /// Add a parameter of n numbers; the memory stays the caller's.  The slot
  /// keeps its place from here on.
  Slot& add(std::string name, float* value, float const* gradient,
            std::size_t n);

  /// Updates so far, for the correction of the young means.  Part of the state.
  double& updates() { return updates_; }

  /// Move every parameter one step against its gradient.
  void update();

 private:
  double learning_rate_;
  double updates_ = 0;
  std::deque<Slot> slots_;
};

}  // namespace char_lm

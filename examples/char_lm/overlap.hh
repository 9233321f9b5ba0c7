// SPDX-License-Identifier: Apache-2.0
/// When is a parameter's gradient complete, while backward still runs?
#pragma once

#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace char_lm {

/// Calls `ready` with a parameter's name when autograd has added to its
/// gradient, on the thread that runs backward.  Once per backward pass, for the
/// parameters that the loss depends on.
class Overlap {
 public:
  explicit Overlap(std::function<void(std::string const&)> ready)
      : ready_(std::move(ready)) {}
  void watch(std::string const& name, torch::Tensor const& parameter);

 private:
  std::function<void(std::string const&)> const ready_;
  /// Autograd itself keeps these nodes only as long as a graph has them.  What
  /// points to one differs between releases of PyTorch.
  using Node = decltype(torch::autograd::impl::grad_accumulator(
      std::declval<torch::Tensor const&>()));
  std::vector<Node> nodes_;
};

}  // namespace char_lm

// SPDX-License-Identifier: Apache-2.0
#include "overlap.hh"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace char_lm {
namespace {

namespace autograd = torch::autograd;

class Hook final : public autograd::FunctionPostHook {
 public:
  explicit Hook(std::function<void()> call) : call_(std::move(call)) {}
  autograd::variable_list operator()(
      autograd::variable_list const& outputs,
      autograd::variable_list const& /*inputs*/) override {
    call_();
    return outputs;
  }

 private:
  std::function<void()> const call_;
};

}  // namespace

void Overlap::watch(std::string const& name, torch::Tensor const& parameter) {
  auto node = autograd::impl::grad_accumulator(parameter);
  node->add_post_hook(std::make_unique<Hook>([this, name] { ready_(name); }));
  nodes_.push_back(std::move(node));
}

}  // namespace char_lm

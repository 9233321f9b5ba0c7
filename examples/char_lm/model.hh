// SPDX-License-Identifier: Apache-2.0
/// A small transformer that predicts the next character.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

namespace char_lm {

struct ModelSize {
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t layers = 0;
};

/// One transformer block: attention to what came before, then a small network
/// per character; both added to their input.
class BlockImpl : public torch::nn::Module {
 public:
  explicit BlockImpl(ModelSize const& size);
  torch::Tensor forward(torch::Tensor const& x, torch::Tensor const& future);

 private:
  torch::Tensor attend(torch::Tensor const& x, torch::Tensor const& future);

  std::int64_t heads_;
  torch::nn::LayerNorm before_attention_{nullptr}, before_network_{nullptr};
  torch::nn::Linear qkv_{nullptr}, out_{nullptr};
  torch::nn::Linear widen_{nullptr}, narrow_{nullptr};
};
TORCH_MODULE(Block);

class ModelImpl : public torch::nn::Module {
 public:
  explicit ModelImpl(ModelSize const& size);

  /// [n, t] characters, t at most the context -> [n, t, vocabulary] scores of
  /// the character that follows each.
  torch::Tensor forward(torch::Tensor const& characters);

 private:
  torch::nn::Embedding character_{nullptr}, position_{nullptr};
  torch::nn::ModuleList blocks_;
  torch::nn::LayerNorm last_{nullptr};
  torch::nn::Linear scores_{nullptr};
  torch::Tensor future_;  ///< true where a character would see its future
};
TORCH_MODULE(Model);

}  // namespace char_lm

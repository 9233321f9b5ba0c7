// SPDX-License-Identifier: Apache-2.0
#include "model.hh"

#include <torch/nn/functional/activation.h>
#include <torch/nn/init.h>

#include <cmath>
#include <limits>

namespace char_lm {

using torch::indexing::Slice;

BlockImpl::BlockImpl(ModelSize const& size) : heads_(size.heads) {
  auto const w = size.width;
  using namespace torch::nn;
  before_attention_ =
      register_module("before_attention", LayerNorm(LayerNormOptions({w})));
  qkv_ = register_module("qkv", Linear(w, 3 * w));
  out_ = register_module("out", Linear(w, w));
  before_network_ =
      register_module("before_network", LayerNorm(LayerNormOptions({w})));
  widen_ = register_module("widen", Linear(w, 4 * w));
  narrow_ = register_module("narrow", Linear(4 * w, w));
}

torch::Tensor BlockImpl::attend(torch::Tensor const& x,
                                torch::Tensor const& future) {
  auto const n = x.size(0), t = x.size(1), w = x.size(2);
  auto parts =
      qkv_(x).view({n, t, 3, heads_, w / heads_}).permute({2, 0, 3, 1, 4});
  auto const query = parts[0], key = parts[1], value = parts[2];
  auto weights = torch::matmul(query, key.transpose(-2, -1)) /
                 std::sqrt(static_cast<double>(w / heads_));
  weights =
      weights.masked_fill(future, -std::numeric_limits<float>::infinity());
  auto mixed = torch::matmul(torch::softmax(weights, -1), value);
  return out_(mixed.transpose(1, 2).reshape({n, t, w}));
}

torch::Tensor BlockImpl::forward(torch::Tensor const& x,
                                 torch::Tensor const& future) {
  auto y = x + attend(before_attention_(x), future);
  return y + narrow_(torch::gelu(widen_(before_network_(y))));
}

ModelImpl::ModelImpl(ModelSize const& size) {
  using namespace torch::nn;
  character_ =
      register_module("character", Embedding(size.vocabulary, size.width));
  position_ = register_module("position", Embedding(size.context, size.width));
  for (std::int64_t i = 0; i < size.layers; ++i)
    blocks_->push_back(Block(size));
  register_module("blocks", blocks_);
  last_ = register_module("last", LayerNorm(LayerNormOptions({size.width})));
  scores_ = register_module("scores", Linear(size.width, size.vocabulary));

  torch::NoGradGuard no_grad;
  init::normal_(character_->weight, 0, 0.02);
  init::normal_(position_->weight, 0, 0.02);
  future_ = torch::ones({size.context, size.context}, torch::kBool).triu(1);
}

torch::Tensor ModelImpl::forward(torch::Tensor const& characters) {
  auto const t = characters.size(1);
  auto x = character_(characters) + position_->weight.index({Slice(0, t)});
  auto const future = future_.index({Slice(0, t), Slice(0, t)});
  for (auto const& block : *blocks_) x = block->as<Block>()->forward(x, future);
  return scores_(last_(x));
}

}  // namespace char_lm

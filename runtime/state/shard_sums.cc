// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/shard_sums.hh"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace gleaner::state {
namespace {

char const* const magnitudes_name = "gleaner:magnitudes";

}  // namespace

Result<void> ShardSums::add(Tensor const& parameter, void* work) {
  if (parameter.device)
    return Error{Errc::invalid_argument,
                 "parameter '" + parameter.name +
                     "' lies on a GPU (deterministic mode is for the CPU)"};
  auto const type = element_of(parameter.type);
  assert(type);
  auto sum = sums_.add(parameter.name, comm::Element::int64, parameter.count());
  if (!sum) return sum.error();
  parameters_.push_back({parameter.name, *type, parameter.count(), work,
                         static_cast<std::int64_t*>(*sum), bytes_});
  bytes_ += parameter.count() * comm::size_of(*type);
  return {};
}

Result<void> ShardSums::seal() {
  // Added last, so that it is the first bucket, with its words.
  auto const n = parameters_.size() * shards_;
  if (n > Gradients::first_bucket_max(comm::Element::float64))
    return Error{Errc::invalid_argument,
                 "deterministic mode with " + std::to_string(shards_) +
                     " shards and " + std::to_string(parameters_.size()) +
                     " parameters (their product may be at most " +
                     std::to_string(
                         Gradients::first_bucket_max(comm::Element::float64)) +
                     ") [use fewer shards]"};
  auto magnitudes = sums_.add(magnitudes_name, comm::Element::float64, n);
  if (!magnitudes) return magnitudes.error();
  magnitudes_ = static_cast<double*>(*magnitudes);
  return sums_.seal();
}

void ShardSums::clear() {
  for (auto& [shard, kept] : kept_) spare_.push_back(std::move(kept.gradients));
  kept_.clear();
}

void ShardSums::keep(std::uint32_t shard) {
  assert(shard < shards_ && !kept_.count(shard));
  auto& kept = kept_[shard];
  if (!spare_.empty()) {
    kept.gradients = std::move(spare_.back());
    spare_.pop_back();
  }
  kept.gradients.resize(bytes_);
  for (auto const& one : parameters_) {
    auto* to = kept.gradients.data() + one.offset;
    if (one.n > 0) std::memcpy(to, one.work, one.n * comm::size_of(one.type));
    kept.magnitudes.push_back(magnitude(one.type, to, one.n));
  }
}

void ShardSums::write_magnitudes() {
  std::fill_n(magnitudes_, parameters_.size() * shards_, 0.0);
  for (auto const& [shard, kept] : kept_)
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      magnitudes_[i * shards_ + shard] = kept.magnitudes[i];
}

Magnitude ShardSums::largest(std::size_t parameter, std::int64_t step) const {
  auto const* all =
      static_cast<double const*>(sums_.find_sum(magnitudes_name, step)) +
      parameter * shards_;
  return static_cast<Magnitude>(*std::max_element(all, all + shards_));
}

void ShardSums::add_up(std::int64_t step) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto const& one = parameters_[i];
    auto const largest = this->largest(i, step);
    std::fill_n(one.sum, one.n, 0);
    for (auto const& [shard, kept] : kept_)
      add_as_fixed(one.type, one.sum, kept.gradients.data() + one.offset, one.n,
                   largest, shards_);
  }
}

Result<void> ShardSums::take_result(std::int64_t step) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto const& one = parameters_[i];
    from_fixed(one.type, one.work,
               static_cast<std::int64_t const*>(sums_.find_sum(one.name, step)),
               one.n, largest(i, step), shards_);
  }
  return {};
}

}  // namespace gleaner::state

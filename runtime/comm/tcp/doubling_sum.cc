// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/doubling_sum.hh"

#include <bit>
#include <cstring>

namespace gleaner::comm::tcp {

Result<void> DoublingSum::run(std::uint64_t operation, void const* local,
                              void* sum, std::size_t n, Element type) {
  auto const bytes = n * size_of(type);
  scratch_.resize(std::max(scratch_.size(), bytes));
  if (sum != local) std::memcpy(sum, local, bytes);
  auto const power = int(std::bit_floor(unsigned(size_)));
  auto const folded = size_ - power;
  bool const in_pair = position_ < 2 * folded;
  constexpr std::uint32_t fold = 0, unfold = 1, first_round = 2;
  if (in_pair && position_ % 2 == 0) {
    auto& link = link_to_(position_ + 1);
    auto given = traffic_.exchange({&link, sum, bytes}, {}, operation, fold);
    if (!given) return given;
    return traffic_.exchange({}, {&link, sum, bytes}, operation, unfold);
  }
  if (in_pair) {
    auto& link = link_to_(position_ - 1);
    auto taken =
        traffic_.exchange({}, {&link, scratch_.data(), bytes}, operation, fold);
    if (!taken) return taken;
    add(type, sum, scratch_.data(), sum, n);
  }
  auto const acting = in_pair ? position_ / 2 : position_ - folded;
  auto piece = first_round;
  for (int bit = 1; bit < power; bit *= 2, ++piece) {
    auto const partner = acting ^ bit;
    auto& link =
        link_to_(partner < folded ? 2 * partner + 1 : partner + folded);
    auto done = traffic_.exchange(
        {&link, sum, bytes}, {&link, scratch_.data(), bytes}, operation, piece);
    if (!done) return done;
    if (acting < partner)
      add(type, sum, sum, scratch_.data(), n);
    else
      add(type, sum, scratch_.data(), sum, n);
  }
  if (!in_pair) return {};
  return traffic_.exchange({&link_to_(position_ - 1), sum, bytes}, {},
                           operation, unfold);
}

}  // namespace gleaner::comm::tcp

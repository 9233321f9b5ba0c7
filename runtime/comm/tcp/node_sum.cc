// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/node_sum.hh"

#include <algorithm>
#include <cstring>

namespace gleaner::comm::tcp {
namespace {

/// Everybody adds up all of it, up to so many bytes.
constexpr std::size_t small_bytes_max = 16 << 10;

}  // namespace

Result<void> NodeSum::run_small(void const* local, void* sum, std::size_t n,
                                Element type) {
  std::memcpy(memory_.slot(turn_, memory_.seat()), local, n * size_of(type));
  if (auto met = memory_.meet(); !met) return met;
  add(type, sum, memory_.slot(turn_, 0), memory_.slot(turn_, 1), n);
  for (int seat = 2; seat < memory_.seats(); ++seat)
    add(type, sum, sum, memory_.slot(turn_, seat), n);
  ++turn_;
  return {};
}

/// This seat's slice of a block of n elements, into the result.
void NodeSum::add_slice(std::uint64_t turn, std::size_t n, Element type) {
  auto const seats = std::size_t(memory_.seats());
  auto const seat = std::size_t(memory_.seat());
  auto const first = n * seat / seats, last = n * (seat + 1) / seats;
  auto const at = first * size_of(type);
  auto* const out = memory_.result(turn) + at;
  add(type, out, memory_.slot(turn, 0) + at, memory_.slot(turn, 1) + at,
      last - first);
  for (int other = 2; other < memory_.seats(); ++other)
    add(type, out, out, memory_.slot(turn, other) + at, last - first);
}

Result<void> NodeSum::run(void const* local, void* sum, std::size_t n,
                          Element type, For whom) {
  auto const element = size_of(type);
  if (whom == For::all && n * element <= small_bytes_max)
    return run_small(local, sum, n, type);
  auto const per_block = memory_.slot_bytes() / element;
  auto const blocks = (n + per_block - 1) / per_block;
  auto const in_block = [&](std::size_t block) {
    return std::min(per_block, n - block * per_block);
  };
  auto const at = [&](std::size_t block) {
    return block * per_block * element;
  };
  bool const gets_it = whom == For::all || memory_.seat() == 0;
  for (std::size_t i = 0; i < blocks + 2; ++i) {
    if (i < blocks)
      std::memcpy(memory_.slot(turn_ + i, memory_.seat()),
                  static_cast<char const*>(local) + at(i),
                  in_block(i) * element);
    if (i >= 1 && i < blocks + 1)
      add_slice(turn_ + i - 1, in_block(i - 1), type);
    if (i >= 2 && gets_it)
      std::memcpy(static_cast<char*>(sum) + at(i - 2),
                  memory_.result(turn_ + i - 2), in_block(i - 2) * element);
    if (i == blocks + 1) break;
    if (auto met = memory_.meet(); !met) return met;
  }
  turn_ += blocks;
  return {};
}

Result<void> NodeSum::spread(void* data, std::size_t bytes, int seat) {
  std::vector<Range> own;
  if (memory_.seat() == seat) own.push_back({0, bytes});
  return gather(data, bytes, own);
}

Result<void> NodeSum::gather(void* data, std::size_t bytes,
                             std::vector<Range> const& own) {
  auto const per_block = memory_.slot_bytes();
  auto const blocks = (bytes + per_block - 1) / per_block;
  auto* const at = static_cast<char*>(data);
  for (std::size_t i = 0; i < blocks + 1; ++i) {
    auto const begin = i * per_block;
    auto const end = std::min(bytes, begin + per_block);
    for (auto const& part : own) {
      auto const from = std::max(begin, part.offset);
      auto const to = std::min(end, part.offset + part.bytes);
      if (i < blocks && from < to)
        std::memcpy(memory_.result(turn_ + i) + (from - begin), at + from,
                    to - from);
    }
    // What is a seat's own it has already.
    bool const whole = own.size() == 1 && own[0].bytes == bytes;
    if (i >= 1 && !whole)
      std::memcpy(at + begin - per_block, memory_.result(turn_ + i - 1),
                  std::min(per_block, bytes - (begin - per_block)));
    if (i == blocks) break;
    if (auto met = memory_.meet(); !met) return met;
  }
  turn_ += blocks;
  return {};
}

}  // namespace gleaner::comm::tcp

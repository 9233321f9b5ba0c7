// SPDX-License-Identifier: Apache-2.0
/// Numbers to be summed, and whether a sum of them is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/comm/element.hh"

namespace gleaner::comm::test {

/// n numbers of this rank: between -1 and 1, int64 over its whole range.
std::vector<char> numbers(Element type, int rank, std::size_t n,
                          std::uint64_t seed);

/// How many of n numbers are farther from the sum of all ranks' numbers than
/// rounding explains.
std::size_t wrong_sums(Element type, void const* sum, int ranks, std::size_t n,
                       std::uint64_t seed);

/// Differs, all but surely, when a bit does.
std::uint64_t digest(void const* data, std::size_t bytes);

}  // namespace gleaner::comm::test

// SPDX-License-Identifier: Apache-2.0
/// How do sums of floating-point numbers come out the same in every order?
///
/// All terms are written as multiples of one power of two, chosen by the
/// largest of them, and integers are added.  The sum is the same to the last
/// bit in every order of additions; it is rounded once, at the end.
///
///     auto m = std::max(magnitude(type, a, n), magnitude(type, b, n));
///     add_as_fixed(type, sum, a, n, m, 2);
///     add_as_fixed(type, sum, b, n, m, 2);
///     from_fixed(type, out, sum, n, m, 2);
///
/// With t terms about 62 - log2(t) bits below the largest number count: a
/// float32 that is 2^30 times smaller than the largest is still exact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/comm/element.hh"

namespace gleaner::state {

/// How large the largest of some numbers is.  Larger is larger; 0: all of them
/// are 0.  Fits a number of 12 bits.
using Magnitude = std::uint32_t;

/// Some number is infinite or none: all sums with it become NaN.
constexpr Magnitude not_finite = 4000;

/// Not for int64.
Magnitude magnitude(comm::Element type, void const* numbers, std::size_t n);

/// sum[i] += numbers[i], of which `terms` are to be added up, none of them
/// larger than `largest` says.
void add_as_fixed(comm::Element type, std::int64_t* sum, void const* numbers,
                  std::size_t n, Magnitude largest, std::uint32_t terms);

/// numbers[i] = sum[i]: the same `largest` and `terms`.
void from_fixed(comm::Element type, void* numbers, std::int64_t const* sum,
                std::size_t n, Magnitude largest, std::uint32_t terms);

}  // namespace gleaner::state

// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/fixed_point.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "runtime/comm/half.hh"

namespace gleaner::state {
namespace {

/// Exponents are counted from here, so that all are positive.
constexpr int exponent_bias = 1100;
/// Below this the power of two itself could not be written as a double.
constexpr int exponent_min = -900;

/// Calls `what` with the numbers as what they are.
template <class Void, class What>
void with_type(comm::Element type, Void* numbers, What what) {
  constexpr bool is_const = std::is_const_v<Void>;
  auto const as = [&](auto example) {
    using T = decltype(example);
    return static_cast<std::conditional_t<is_const, T const*, T*>>(numbers);
  };
  switch (type) {
    case comm::Element::float32:
      return what(as(float{}));
    case comm::Element::float64:
      return what(as(double{}));
    case comm::Element::float16:
      return what(as(comm::half::Float16{}));
    case comm::Element::bfloat16:
      return what(as(comm::half::Bfloat16{}));
    case comm::Element::int64:
      assert(false);
  }
}

double as_double(double x) { return x; }
double as_double(float x) { return x; }
template <class Half>
double as_double(Half x) {
  return float(x);
}

template <class T>
T rounded(double x) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x);
  else
    return T::nearest(static_cast<float>(x));
}

/// Positive floats are ordered as their bits are.
std::uint64_t bits_of_size(double x) {
  return std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
}
std::uint32_t bits_of_size(float x) {
  return std::bit_cast<std::uint32_t>(x) & ~(std::uint32_t{1} << 31);
}
template <class Half>
std::uint32_t bits_of_size(Half x) {
  return bits_of_size(float(x));
}
double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }
double from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Bits after the binary point: no sum of `terms` numbers overflows.
int fraction_bits(Magnitude largest, std::uint32_t terms) {
  auto const exponent =
      std::max(static_cast<int>(largest) - exponent_bias, exponent_min);
  return 62 - static_cast<int>(std::bit_width(terms - 1)) - exponent;
}

}  // namespace

Magnitude magnitude(comm::Element type, void const* numbers, std::size_t n) {
  Magnitude found = 0;
  with_type(type, numbers, [&](auto const* x) {
    decltype(bits_of_size(*x)) most = 0;
    for (std::size_t i = 0; i < n; ++i)
      most = std::max(most, bits_of_size(x[i]));
    auto const largest = from_bits(most);
    if (!std::isfinite(largest)) {
      found = not_finite;
    } else if (largest > 0) {
      int exponent = 0;
      std::frexp(largest, &exponent);  // largest < 2^exponent
      found = static_cast<Magnitude>(exponent + exponent_bias);
    }
  });
  return found;
}

void add_as_fixed(comm::Element type, std::int64_t* sum, void const* numbers,
                  std::size_t n, Magnitude largest, std::uint32_t terms) {
  assert(terms > 0);
  if (largest == 0 || largest == not_finite) return;
  auto const factor = std::ldexp(1.0, fraction_bits(largest, terms));
  with_type(type, numbers, [&](auto const* x) {
    for (std::size_t i = 0; i < n; ++i)
      sum[i] += static_cast<std::int64_t>(as_double(x[i]) * factor);
  });
}

void from_fixed(comm::Element type, void* numbers, std::int64_t const* sum,
                std::size_t n, Magnitude largest, std::uint32_t terms) {
  assert(terms > 0);
  auto const factor = largest == 0 ? 0.0
                      : largest == not_finite
                          ? std::numeric_limits<double>::quiet_NaN()
                          : std::ldexp(1.0, -fraction_bits(largest, terms));
  with_type(type, numbers, [&](auto* x) {
    using T = std::remove_reference_t<decltype(*x)>;
    for (std::size_t i = 0; i < n; ++i)
      x[i] = rounded<T>(static_cast<double>(sum[i]) * factor);
  });
}

}  // namespace gleaner::state

// SPDX-License-Identifier: Apache-2.0
#include "planes/numbers.hh"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "runtime/comm/half.hh"

namespace gleaner::comm::test {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

std::uint64_t draw(int rank, std::size_t i, std::uint64_t seed) {
  return mixed(mixed(seed * 64 + std::uint64_t(rank)) + i);
}

template <class T>
double value_of(T number) {
  if constexpr (std::is_arithmetic_v<T>)
    return double(number);
  else
    return double(float(number));
}

template <class T>
T number(int rank, std::size_t i, std::uint64_t seed) {
  auto const bits = draw(rank, i, seed);
  if constexpr (std::is_same_v<T, std::int64_t>)
    return T(bits);
  else if constexpr (std::is_arithmetic_v<T>)
    return T(double(std::int64_t(bits)) * 0x1p-63);
  else
    return T::nearest(float(double(std::int64_t(bits)) * 0x1p-63));
}

/// The unit in the last place of 1.
template <class T>
double rounding() {
  if constexpr (std::is_same_v<T, double>) return 0x1p-52;
  if constexpr (std::is_same_v<T, float>) return 0x1p-23;
  if constexpr (std::is_same_v<T, half::Float16>) return 0x1p-10;
  return 0x1p-7;  // bfloat16
}

template <class T>
bool is_wrong(T sum, int ranks, std::size_t i, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    std::uint64_t want = 0;
    for (int r = 0; r < ranks; ++r) want += draw(r, i, seed);
    return std::uint64_t(sum) != want;
  } else {
    double want = 0;
    for (int r = 0; r < ranks; ++r) want += value_of(number<T>(r, i, seed));
    // Each of ranks - 1 additions rounds a number below `ranks`.
    return !(std::abs(value_of(sum) - want) <=
             ranks * (ranks - 1) * rounding<T>() / 2);
  }
}

/// Runs call<T>() for the type.
template <class Call>
auto with_type(Element type, Call call) {
  switch (type) {
    case Element::float64:
      return call.template operator()<double>();
    case Element::float16:
      return call.template operator()<half::Float16>();
    case Element::bfloat16:
      return call.template operator()<half::Bfloat16>();
    case Element::int64:
      return call.template operator()<std::int64_t>();
    case Element::float32:
      break;
  }
  return call.template operator()<float>();
}

}  // namespace

std::vector<char> numbers(Element type, int rank, std::size_t n,
                          std::uint64_t seed) {
  std::vector<char> bytes(n * size_of(type));
  with_type(type, [&]<class T>() {
    for (std::size_t i = 0; i < n; ++i) {
      auto const x = number<T>(rank, i, seed);
      std::memcpy(&bytes[i * sizeof x], &x, sizeof x);
    }
  });
  return bytes;
}

std::size_t wrong_sums(Element type, void const* sum, int ranks, std::size_t n,
                       std::uint64_t seed) {
  return with_type(type, [&]<class T>() {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      T x;
      std::memcpy(&x, static_cast<char const*>(sum) + i * sizeof x, sizeof x);
      wrong += is_wrong(x, ranks, i, seed);
    }
    return wrong;
  });
}

std::uint64_t digest(void const* data, std::size_t bytes) {
  auto const* at = static_cast<char const*>(data);
  std::uint64_t value = bytes;
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, std::min<std::size_t>(8, bytes - i));
    value = mixed(value ^ word) + i;
  }
  return value;
}

}  // namespace gleaner::comm::test

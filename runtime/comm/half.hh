// SPDX-License-Identifier: Apache-2.0
/// What float does a 16-bit number stand for, and which one is nearest?
///
/// Integer arithmetic without branches, so that loops over it are vectorised
/// on any processor; nearest means ties to even, and a NaN stays one.
#pragma once

#include <bit>
#include <cstdint>

namespace gleaner::comm::half {

[[gnu::always_inline]] inline float as_float(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

[[gnu::always_inline]] inline std::uint32_t as_bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// The choice as arithmetic: as a branch it would keep a loop from being
/// vectorised.
[[gnu::always_inline]] inline std::uint32_t choose(bool first, std::uint32_t a,
                                                   std::uint32_t b) {
  std::uint32_t const mask = 0u - std::uint32_t(first);
  return (a & mask) | (b & ~mask);
}

/// IEEE binary16: 5 bits of exponent, 10 of fraction.
struct Float16 {
  std::uint16_t bits;

  [[gnu::always_inline]] explicit operator float() const {
    std::uint32_t const sign = std::uint32_t(bits & 0x8000) << 16;
    std::uint32_t const rest = std::uint32_t(bits & 0x7fff) << 13;
    std::uint32_t const exponent = rest & 0x0f800000;
    // A float's exponent is biased by 127, not 15; infinity has all ones.
    std::uint32_t const normal = rest + ((127 - 15) << 23);
    std::uint32_t const special = rest | 0x7f800000;
    // Below the normal numbers: 0.fraction is 1.fraction less 1.
    std::uint32_t const one = 113 << 23;
    std::uint32_t const tiny = as_bits(as_float(rest + one) - as_float(one));
    std::uint32_t const finite = choose(exponent == 0, tiny, normal);
    return as_float(sign | choose(exponent == 0x0f800000, special, finite));
  }

  [[gnu::always_inline]] static Float16 nearest(float value) {
    std::uint32_t const all = as_bits(value);
    std::uint32_t const rest = all & 0x7fffffff;
    // Adding 0.5 moves the last bit of a number below 2^-14 to the last bit
    // of the float, which rounds it.
    std::uint32_t const tiny = as_bits(as_float(rest) + 0.5f) - 0x3f000000;
    std::uint32_t const odd = rest >> 13 & 1;
    std::uint32_t const normal =
        (rest - ((127 - 15) << 23) + 0xfff + odd) >> 13;
    std::uint32_t const special = choose(rest > 0x7f800000, 0x7e00, 0x7c00);
    std::uint32_t const finite = choose(rest < 0x38800000, tiny, normal);
    return {std::uint16_t((all >> 16 & 0x8000) |
                          choose(rest >= 0x47800000, special, finite))};
  }
};

/// The upper half of a float.
struct Bfloat16 {
  std::uint16_t bits;

  [[gnu::always_inline]] explicit operator float() const {
    return as_float(std::uint32_t(bits) << 16);
  }

  [[gnu::always_inline]] static Bfloat16 nearest(float value) {
    std::uint32_t const all = as_bits(value);
    std::uint32_t const rounded = (all + 0x7fff + (all >> 16 & 1)) >> 16;
    std::uint32_t const nan = all >> 16 | 0x40;
    return {
        std::uint16_t(choose((all & 0x7fffffff) > 0x7f800000, nan, rounded))};
  }
};

}  // namespace gleaner::comm::half

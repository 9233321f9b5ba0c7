// SPDX-License-Identifier: Apache-2.0
/// How numbers add up, those of 16 bits above all.
#include "runtime/comm/element.hh"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/comm/half.hh"
#include "runtime/comm/half_runs.hh"
#include "test/unit/catch.hh"

namespace gleaner::comm {
using half::Bfloat16;
using half::Float16;

namespace {

/// The value by definition: (-1)^s 2^(e-15) 1.f, or 0.f with the least e.
double value_of_float16(std::uint16_t bits) {
  int const exponent = bits >> 10 & 31, fraction = bits & 1023;
  double const size = exponent == 0
                          ? std::ldexp(fraction, -24)
                          : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

bool finite_float16(std::uint16_t bits) { return (bits >> 10 & 31) != 31; }

/// a + b as add() has it, for one pair.
template <class T>
T sum(Element type, T a, T b) {
  T out;
  add(type, &out, &a, &b, 1);
  return out;
}

}  // namespace

TEST_CASE("a float16 is the float of its definition, and that one is it") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    Float16 const number{std::uint16_t(bits)};
    if (!finite_float16(number.bits)) continue;
    auto const value = float(number);
    REQUIRE(value == value_of_float16(number.bits));
    REQUIRE(Float16::nearest(value).bits == bits);
  }
}

TEST_CASE("a float between two float16 goes to the nearer, or to the even") {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    double const low = value_of_float16(std::uint16_t(bits));
    double const high = value_of_float16(std::uint16_t(bits + 1));
    auto const middle = float((low + high) / 2);
    auto const even = bits % 2 == 0 ? bits : bits + 1;
    REQUIRE(Float16::nearest(middle).bits == even);
    REQUIRE(Float16::nearest(std::nextafter(middle, 0.f)).bits == bits);
    REQUIRE(Float16::nearest(std::nextafter(middle, 1e9f)).bits == bits + 1);
    REQUIRE(Float16::nearest(-middle).bits == (even | 0x8000));
  }
}

TEST_CASE("what is too large for a float16 is infinite, and NaN stays NaN") {
  auto const infinity = std::numeric_limits<float>::infinity();
  CHECK(Float16::nearest(65519).bits == 0x7bff);
  CHECK(Float16::nearest(65520).bits == 0x7c00);
  CHECK(Float16::nearest(1e30f).bits == 0x7c00);
  CHECK(Float16::nearest(-infinity).bits == 0xfc00);
  CHECK(float(Float16{0x7c00}) == infinity);
  CHECK(std::isnan(float(Float16{0x7e01})));
  CHECK(std::isnan(float(Float16::nearest(std::nanf("")))));
  CHECK(std::isnan(float(Float16::nearest(half::as_float(0x7f800001)))));
}

TEST_CASE("a bfloat16 is the upper half of the nearest float") {
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    auto const value = float(Bfloat16{std::uint16_t(bits)});
    REQUIRE(half::as_bits(value) == bits << 16);
    REQUIRE(Bfloat16::nearest(value).bits == bits);
    auto const middle = half::as_float(bits << 16 | 0x8000);
    REQUIRE(Bfloat16::nearest(middle).bits == bits + bits % 2);
    REQUIRE(Bfloat16::nearest(half::as_float(bits << 16 | 0x8001)).bits ==
            bits + 1);
    REQUIRE(Bfloat16::nearest(-middle).bits == ((bits + bits % 2) | 0x8000));
  }
  CHECK(std::isnan(float(Bfloat16::nearest(half::as_float(0x7f800001)))));
  CHECK(std::isnan(float(Bfloat16::nearest(half::as_float(0x7fffffff)))));
}

TEST_CASE("16-bit numbers are added as floats and rounded once") {
  std::random_device device;
  auto const seed = device();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::vector<std::uint16_t> a(10007), b(a.size()), out(a.size());
  for (auto& x : a) x = std::uint16_t(random() & 0xbfff);  // finite
  for (auto& x : b) x = std::uint16_t(random() & 0xbfff);
  add(Element::float16, out.data(), a.data(), b.data(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    REQUIRE(out[i] ==
            Float16::nearest(float(Float16{a[i]}) + float(Float16{b[i]})).bits);
  add(Element::bfloat16, a.data(), a.data(), b.data(), a.size());  // in place
  scale(Element::float16, b.data(), out.data(), out.size(), 0.3);
  for (std::size_t i = 0; i < b.size(); ++i)
    REQUIRE(b[i] == Float16::nearest(float(Float16{out[i]}) * 0.3f).bits);
}

TEST_CASE("16-bit numbers come out the same on every processor") {
  std::random_device device;
  auto const seed = device();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  auto const n = GENERATE(0u, 1u, 7u, 8u, 9u, 4099u);
  std::vector<std::uint16_t> a(n), b(n), here(n), everywhere(n);
  for (auto& x : a) x = std::uint16_t(random() & 0xbfff);  // finite
  for (auto& x : b) x = std::uint16_t(random() & 0xbfff);
  auto const &best = half_runs(), &portable = portable_half_runs();
  for (auto const add : {&HalfRuns::add_float16, &HalfRuns::add_bfloat16}) {
    (best.*add)(here.data(), a.data(), b.data(), n);
    (portable.*add)(everywhere.data(), a.data(), b.data(), n);
    CHECK(here == everywhere);
  }
  for (auto const scale :
       {&HalfRuns::scale_float16, &HalfRuns::scale_bfloat16}) {
    (best.*scale)(here.data(), a.data(), n, 1e4f);
    (portable.*scale)(everywhere.data(), a.data(), n, 1e4f);
    CHECK(here == everywhere);
  }
}

TEST_CASE("int64 wraps around, so that its sums are the same in every order") {
  auto const max = std::numeric_limits<std::int64_t>::max();
  auto const min = std::numeric_limits<std::int64_t>::min();
  CHECK(sum(Element::int64, max, std::int64_t(1)) == min);
  CHECK(sum(Element::int64, sum(Element::int64, max, std::int64_t(5)),
            std::int64_t(-5)) == max);
}

}  // namespace gleaner::comm

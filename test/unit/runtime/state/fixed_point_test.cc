// SPDX-License-Identifier: Apache-2.0
/// Sums that are the same in every order.
#include "runtime/state/fixed_point.hh"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

template <class T>
constexpr comm::Element element = sizeof(T) == 4 ? comm::Element::float32
                                                 : comm::Element::float64;

/// The sum of all rows, added up in this order of rows, by so many members.
template <class T>
std::vector<T> sum(std::vector<std::vector<T>> const& rows,
                   std::vector<std::size_t> const& order, std::size_t members) {
  auto const n = rows[0].size();
  auto const terms = std::uint32_t(rows.size());
  Magnitude largest = 0;
  for (auto const& row : rows)
    largest = std::max(largest, magnitude(element<T>, row.data(), n));
  std::vector<std::vector<std::int64_t>> parts(members,
                                               std::vector<std::int64_t>(n));
  for (std::size_t i = 0; i < order.size(); ++i)
    add_as_fixed(element<T>, parts[i % members].data(), rows[order[i]].data(),
                 n, largest, terms);
  for (std::size_t m = 1; m < members; ++m)
    comm::add(comm::Element::int64, parts[0].data(), parts[0].data(),
              parts[m].data(), n);
  std::vector<T> result(n);
  from_fixed(element<T>, result.data(), parts[0].data(), n, largest, terms);
  return result;
}

template <class T>
T one_sum(std::vector<T> const& terms) {
  std::vector<std::vector<T>> rows;
  for (auto const term : terms) rows.push_back({term});
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  return sum(rows, order, 1)[0];
}

}  // namespace

TEMPLATE_TEST_CASE("a sum does not depend on order or on who adds what", "",
                   float, double) {
  auto const seed = GENERATE(take(20, random(1u, 1u << 30)));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::normal_distribution<> normal;
  std::uniform_int_distribution<> exponent(-40, 10);
  std::vector<std::vector<TestType>> rows(1 + seed % 33);
  for (auto& row : rows)
    for (int i = 0; i < 100; ++i)
      row.push_back(TestType(std::ldexp(normal(random), exponent(random))));
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  auto const expected = sum(rows, order, 1);
  for (std::size_t members : {1, 2, 3, 7}) {
    std::shuffle(order.begin(), order.end(), random);
    auto const found = sum(rows, order, members);
    CHECK(std::memcmp(found.data(), expected.data(),
                      found.size() * sizeof(TestType)) == 0);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    long double exact = 0;
    for (auto const& row : rows) exact += row[i];
    // The largest are below 2^13: 55 bits less for each term, and rounded once.
    auto const cut = std::ldexp((long double)(rows.size()), 13 - 55);
    auto const rounding = std::numeric_limits<TestType>::epsilon();
    CHECK(std::fabs(expected[i] - exact) <= cut + std::fabs(exact) * rounding);
  }
}

TEST_CASE("small numbers beside large ones count") {
  CHECK(one_sum<float>({1.0f, 0x1p-30f, -1.0f}) == 0x1p-30f);
  CHECK(one_sum<float>({0x1p100f, 0x1p60f, -0x1p100f}) == 0x1p60f);
  CHECK(one_sum<double>({1.0, 0x1p-52, -1.0}) == 0x1p-52);
}

TEST_CASE("no sum overflows, however many terms are of the largest size") {
  auto const terms = GENERATE(1u, 2u, 3u, 64u, 1000u);
  CHECK(one_sum(std::vector<float>(terms, 1.5f)) == 1.5f * float(terms));
  CHECK(one_sum(std::vector<double>(terms, -0x1.8p1000)) ==
        -0x1.8p1000 * terms);
  auto const most = std::numeric_limits<float>::max() / float(terms);
  CHECK(one_sum(std::vector<float>(terms, most)) ==
        Approx(std::numeric_limits<float>::max()));
}

TEST_CASE("the edges of floating point") {
  CHECK(one_sum<float>({0, 0, -0.0f}) == 0);
  CHECK(one_sum<float>({0x1p-149f, 0x1p-149f}) == 0x1p-148f);
  CHECK(one_sum<double>({0x1p-800, 0x1p-800}) == 0x1p-799);
  CHECK(one_sum<double>({0x1p-1074}) == 0);  // too small to be counted in
}

TEST_CASE("what is not finite makes the sum NaN") {
  float const bad = GENERATE(std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN());
  CHECK(std::isnan(one_sum<float>({1, bad, 2})));
  CHECK(magnitude(comm::Element::float32, &bad, 1) == not_finite);
}

TEST_CASE("16-bit numbers are added as the floats they stand for") {
  // 1 + 2^-8 in bfloat16 would be 1; in binary16 it is exact.
  std::uint16_t const half[] = {0x3c00, 0x1c00}, brain[] = {0x3f80, 0x3b80};
  for (auto const type : {comm::Element::float16, comm::Element::bfloat16}) {
    auto const* x = type == comm::Element::float16 ? half : brain;
    auto const largest =
        std::max(magnitude(type, x, 1), magnitude(type, x + 1, 1));
    std::int64_t sum = 0;
    for (int k = 0; k < 3; ++k)
      add_as_fixed(type, &sum, x + (k > 0), 1, largest, 3);
    std::uint16_t out = 0;
    from_fixed(type, &out, &sum, 1, largest, 3);
    CHECK(out == (type == comm::Element::float16 ? 0x3c08 : 0x3f81));
  }
}

}  // namespace gleaner::state

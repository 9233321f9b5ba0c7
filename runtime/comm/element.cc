// SPDX-License-Identifier: Apache-2.0
/// Arithmetic on runs of numbers.
#include "runtime/comm/element.hh"

#include <cassert>
#include <cstdint>

#include "runtime/comm/half_runs.hh"
#include "runtime/comm/vectorised.hh"

namespace gleaner::comm {
namespace {

template <class T>
[[VECTORISED]] void add_numbers(void* sum, void const* a, void const* b,
                                std::size_t n) {
  auto* out = static_cast<T*>(sum);
  auto const* x = static_cast<T const*>(a);
  auto const* y = static_cast<T const*>(b);
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}

template <class T>
[[VECTORISED]] void scale_numbers(void* out, void const* in, std::size_t n,
                                  double factor) {
  auto* to = static_cast<T*>(out);
  auto const* from = static_cast<T const*>(in);
  auto const by = static_cast<T>(factor);
  for (std::size_t i = 0; i < n; ++i) to[i] = from[i] * by;
}

}  // namespace

std::size_t size_of(Element type) {
  switch (type) {
    case Element::float16:
    case Element::bfloat16:
      return 2;
    case Element::float32:
      return 4;
    case Element::float64:
    case Element::int64:
      return 8;
  }
  return 0;
}

char const* name_of(Element type) {
  switch (type) {
    case Element::float16:
      return "float16";
    case Element::bfloat16:
      return "bfloat16";
    case Element::float32:
      return "float32";
    case Element::float64:
      return "float64";
    case Element::int64:
      return "int64";
  }
  return "";
}

void add(Element type, void* out, void const* a, void const* b, std::size_t n) {
  switch (type) {
    case Element::float16:
      return half_runs().add_float16(out, a, b, n);
    case Element::bfloat16:
      return half_runs().add_bfloat16(out, a, b, n);
    case Element::float32:
      return add_numbers<float>(out, a, b, n);
    case Element::float64:
      return add_numbers<double>(out, a, b, n);
    case Element::int64:
      // Unsigned: what overflows wraps around, and is no error.
      return add_numbers<std::uint64_t>(out, a, b, n);
  }
}

void scale(Element type, void* out, void const* in, std::size_t n,
           double factor) {
  assert(type != Element::int64);
  switch (type) {
    case Element::float16:
      return half_runs().scale_float16(out, in, n, float(factor));
    case Element::bfloat16:
      return half_runs().scale_bfloat16(out, in, n, float(factor));
    case Element::float32:
      return scale_numbers<float>(out, in, n, factor);
    case Element::float64:
      return scale_numbers<double>(out, in, n, factor);
    case Element::int64:
      return;
  }
}

}  // namespace gleaner::comm

// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/half_runs.hh"

#include "runtime/comm/half.hh"
#include "runtime/comm/vectorised.hh"

#if defined __x86_64__ && defined __GNUC__
#define HAVE_AVX2_FUNCTIONS 1
#include <immintrin.h>
#endif

namespace gleaner::comm {
namespace {

using half::Bfloat16;
using half::Float16;

template <class Half>
[[gnu::always_inline]] inline void add(void* sum, void const* a, void const* b,
                                       std::size_t n) {
  auto* out = static_cast<Half*>(sum);
  auto const* x = static_cast<Half const*>(a);
  auto const* y = static_cast<Half const*>(b);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = Half::nearest(float(x[i]) + float(y[i]));
}

template <class Half>
[[gnu::always_inline]] inline void scale(void* out, void const* in,
                                         std::size_t n, float factor) {
  auto* to = static_cast<Half*>(out);
  auto const* from = static_cast<Half const*>(in);
  for (std::size_t i = 0; i < n; ++i)
    to[i] = Half::nearest(float(from[i]) * factor);
}

[[VECTORISED]] void add_float16(void* sum, void const* a, void const* b,
                                std::size_t n) {
  add<Float16>(sum, a, b, n);
}
[[VECTORISED]] void add_bfloat16(void* sum, void const* a, void const* b,
                                 std::size_t n) {
  add<Bfloat16>(sum, a, b, n);
}
[[VECTORISED]] void scale_float16(void* out, void const* in, std::size_t n,
                                  float factor) {
  scale<Float16>(out, in, n, factor);
}
[[VECTORISED]] void scale_bfloat16(void* out, void const* in, std::size_t n,
                                   float factor) {
  scale<Bfloat16>(out, in, n, factor);
}

#ifdef HAVE_AVX2_FUNCTIONS
#define AVX2 gnu::target("avx2,f16c")

[[AVX2]] __m256 load_floats(Float16 const* from) {
  return _mm256_cvtph_ps(
      _mm_loadu_si128(reinterpret_cast<__m128i const*>(from)));
}
[[AVX2]] void store_nearest(Float16* to, __m256 floats) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));
}

[[AVX2]] void add_float16_avx2(void* sum, void const* a, void const* b,
                               std::size_t n) {
  auto* out = static_cast<Float16*>(sum);
  auto const* x = static_cast<Float16 const*>(a);
  auto const* y = static_cast<Float16 const*>(b);
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    store_nearest(out + i,
                  _mm256_add_ps(load_floats(x + i), load_floats(y + i)));
  add<Float16>(out + i, x + i, y + i, n - i);
}
[[AVX2]] void scale_float16_avx2(void* out, void const* in, std::size_t n,
                                 float factor) {
  auto* to = static_cast<Float16*>(out);
  auto const* from = static_cast<Float16 const*>(in);
  auto const factors = _mm256_set1_ps(factor);
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    store_nearest(to + i, _mm256_mul_ps(load_floats(from + i), factors));
  scale<Float16>(to + i, from + i, n - i, factor);
}
[[AVX2, VECTORISED]] void add_bfloat16_avx2(void* sum, void const* a,
                                            void const* b, std::size_t n) {
  add<Bfloat16>(sum, a, b, n);
}
[[AVX2, VECTORISED]] void scale_bfloat16_avx2(void* out, void const* in,
                                              std::size_t n, float factor) {
  scale<Bfloat16>(out, in, n, factor);
}
#endif

HalfRuns best_half_runs() {
#ifdef HAVE_AVX2_FUNCTIONS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
    return {add_float16_avx2, add_bfloat16_avx2, scale_float16_avx2,
            scale_bfloat16_avx2};
#endif
  return portable_half_runs();
}

}  // namespace

HalfRuns const& half_runs() {
  static HalfRuns const best = best_half_runs();
  return best;
}

HalfRuns const& portable_half_runs() {
  static constexpr HalfRuns portable{add_float16, add_bfloat16, scale_float16,
                                     scale_bfloat16};
  return portable;
}

}  // namespace gleaner::comm

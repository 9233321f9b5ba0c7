// SPDX-License-Identifier: Apache-2.0
/// Which numbers can be summed over members, and how two of them add up?
///
/// Every data plane that adds on the processor adds with these functions, so
/// that a sum does not depend on who computed it.
#pragma once

#include <cstddef>

namespace gleaner::comm {

/// int64 wraps around: its sums are the same in every order.
enum class Element { float32, float64, float16, bfloat16, int64 };

std::size_t size_of(Element type);
char const* name_of(Element type);  ///< "float32"

/// out[i] = a[i] + b[i].  Of 16-bit numbers the sum is taken in float and
/// rounded once.  `out` may be `a` or `b`, and overlaps them in no other way.
void add(Element type, void* out, void const* a, void const* b, std::size_t n);

/// out[i] = in[i] * factor, rounded once; the factor is rounded to float
/// first, but for float64.  Not for int64.  `out` may be `in`.
void scale(Element type, void* out, void const* in, std::size_t n,
           double factor);

}  // namespace gleaner::comm

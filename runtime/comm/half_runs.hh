// SPDX-License-Identifier: Apache-2.0
/// How are runs of 16-bit numbers added and scaled as fast as this processor
/// can?
///
/// Each number is made a float, the sum or product is rounded once, to the
/// nearest, ties to even: the bits do not depend on which of these is used,
/// but for those of a NaN.
#pragma once

#include <cstddef>

namespace gleaner::comm {

struct HalfRuns {
  using Add = void(void* sum, void const* a, void const* b, std::size_t n);
  using Scale = void(void* out, void const* in, std::size_t n, float factor);
  Add* add_float16;
  Add* add_bfloat16;
  Scale* scale_float16;
  Scale* scale_bfloat16;
};

/// What this processor is best at.
HalfRuns const& half_runs();

/// What every processor can.
HalfRuns const& portable_half_runs();

}  // namespace gleaner::comm

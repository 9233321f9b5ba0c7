// SPDX-License-Identifier: Apache-2.0
/// The one kernel: numbers times a factor.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace gleaner::gpu {

enum class Number { float32, float64, float16, bfloat16 };

/// out[i] = in[i] * factor, queued on the stream.  `out` may be `in`.
cudaError_t scale(Number type, void* out, void const* in, std::size_t n,
                  double factor, cudaStream_t stream);

}  // namespace gleaner::gpu

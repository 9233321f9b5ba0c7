// SPDX-License-Identifier: Apache-2.0
/// The one kernel: numbers times a factor.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "runtime/gpu/scale.hh"

namespace gleaner::gpu {
namespace {

__device__ float times(float x, float factor) { return x * factor; }
__device__ double times(double x, double factor) { return x * factor; }
__device__ __half times(__half x, float factor) {
  return __float2half_rn(__half2float(x) * factor);
}
__device__ __nv_bfloat16 times(__nv_bfloat16 x, float factor) {
  return __float2bfloat16_rn(__bfloat162float(x) * factor);
}

template <class T, class Factor>
__global__ void scale_all(T* out, T const* in, std::size_t n, Factor factor) {
  std::size_t const stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += stride)
    out[i] = times(in[i], factor);
}

template <class T, class Factor>
cudaError_t launch(void* out, void const* in, std::size_t n, Factor factor,
                   cudaStream_t stream) {
  constexpr unsigned threads = 256, blocks_max = 1024;
  std::size_t const blocks = (n + threads - 1) / threads;
  auto* to = static_cast<T*>(out);
  auto const* from = static_cast<T const*>(in);
  void* arguments[] = {&to, &from, &n, &factor};
  // What this returns is about this kernel; cudaGetLastError() would also say
  // what the program or a poll left there.
  return cudaLaunchKernel(
      reinterpret_cast<void const*>(&scale_all<T, Factor>),
      dim3(blocks < blocks_max ? unsigned(blocks) : blocks_max), dim3(threads),
      arguments, 0, stream);
}

}  // namespace

cudaError_t scale(Number type, void* out, void const* in, std::size_t n,
                  double factor, cudaStream_t stream) {
  if (n == 0) return cudaSuccess;
  auto const single = static_cast<float>(factor);
  switch (type) {
    case Number::float32:
      return launch<float>(out, in, n, single, stream);
    case Number::float64:
      return launch<double>(out, in, n, factor, stream);
    case Number::float16:
      return launch<__half>(out, in, n, single, stream);
    case Number::bfloat16:
      return launch<__nv_bfloat16>(out, in, n, single, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace gleaner::gpu

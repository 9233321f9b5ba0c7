// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/cuda_call.hh"

#include <dlfcn.h>

namespace gleaner::gpu {

bool thread_uses_gpu() {
  // The runtime loads the driver's library itself, and does not ask it for us.
  using Current = int (*)(void** context);
  static void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return true;
  static auto const current =
      reinterpret_cast<Current>(::dlsym(driver, "cuCtxGetCurrent"));
  void* context = nullptr;
  return !current || (current(&context) == 0 && context);
}

}  // namespace gleaner::gpu

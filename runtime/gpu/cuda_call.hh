// SPDX-License-Identifier: Apache-2.0
/// Calls of CUDA that leave the calling thread as it was.
///
/// The CUDA runtime keeps two things for each thread: its device, and its last
/// error.  Both belong to the program.  PyTorch looks at the last error after
/// each kernel it starts, and would report one of ours as its own; even
/// cudaErrorNotReady, which only says that a GPU is still at work, stays.
#pragma once

#include <cuda_runtime_api.h>

namespace gleaner::gpu {

/// `code`, of the call that was just made.  An error of it is no longer the
/// thread's last error.
inline cudaError_t cleared(cudaError_t code) {
  if (code != cudaSuccess) (void)cudaGetLastError();
  return code;
}

/// Whether this thread has used a GPU.  If not it has no device to go back to:
/// choosing one would take memory on a GPU that nobody uses.
bool thread_uses_gpu();

/// Uses one device as long as this lives, then the one that was used before.
class UseDevice {
 public:
  explicit UseDevice(int device) : device_(device), before_(device) {
    bool const used =
        thread_uses_gpu() && cleared(cudaGetDevice(&before_)) == cudaSuccess;
    if (!used) before_ = device;
    if (!used || before_ != device) code_ = cleared(cudaSetDevice(device));
  }
  ~UseDevice() {
    if (before_ != device_) (void)cleared(cudaSetDevice(before_));
  }
  UseDevice(UseDevice const&) = delete;
  UseDevice& operator=(UseDevice const&) = delete;

  /// Whether the device can be used.
  cudaError_t code() const { return code_; }

 private:
  int const device_;
  int before_;
  cudaError_t code_ = cudaSuccess;
};

}  // namespace gleaner::gpu

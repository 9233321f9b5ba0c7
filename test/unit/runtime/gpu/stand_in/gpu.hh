// SPDX-License-Identifier: Apache-2.0
/// CUDA and NCCL without a GPU: what a test sees and steers of the stand-in.
///
/// stand_in/cuda.cc and nccl.cc define the functions that runtime/gpu calls,
/// over memory and threads of this process, and are linked in place of NVIDIA's
/// libraries.  They keep the rules of these that our code relies on: the last
/// error of a thread stays until it is read; a stream does one thing after the
/// other; a sum ends when all members have queued it; an aborted kernel ends
/// early; a communicator takes no second call while one is in progress.
///
/// What they cannot show is what takes time, and what NVIDIA's do beyond their
/// documentation.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace gleaner::gpu::test {

/// Something that a stream does.
struct Work {
  std::atomic<bool> done{false};
};

/// Queue something that ends when the test says so.
std::shared_ptr<Work> occupy(cudaStream_t stream);
/// What else the stand-in's NCCL queues.
void queue(cudaStream_t stream, std::shared_ptr<Work> work);

/// How many GPUs there are; 1 at first.
void set_gpus(int count);
/// This thread's device, or -1 when it never chose one.
int device_of_thread();
/// The error that the thread's next cudaGetLastError() will find.
cudaError_t last_error();
/// From now on allocations of pinned memory fail.
void fail_pinned_memory(bool fail);

/// What ncclGetVersion() says; NCCL_VERSION_CODE at first.
void set_nccl_version(int version);
/// Threads that wait for members to call in, one for each id, until all have.
int bootstrap_roots();
/// Ids made so far.
int ids_made();
/// From now on kernels go on after an abort.
void set_kernels_deaf(bool deaf);
/// End those that went on.
void end_deaf_kernels();
/// The most sums that one member had queued and not finished, so far.
int sums_queued_max();

}  // namespace gleaner::gpu::test

// SPDX-License-Identifier: Apache-2.0
/// The functions of the CUDA runtime that runtime/gpu calls, and its kernel.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "runtime/comm/element.hh"
#include "runtime/gpu/cuda_call.hh"
#include "runtime/gpu/scale.hh"
#include "stand_in/gpu.hh"

struct CUstream_st {
  std::mutex mutex;
  std::deque<std::shared_ptr<gleaner::gpu::test::Work>>
      works;  ///< not done yet
};
struct CUevent_st {
  std::mutex mutex;
  std::shared_ptr<gleaner::gpu::test::Work> after;  ///< NULL: nothing
};

namespace gleaner::gpu::test {
namespace {

std::atomic<int> gpus{1};
std::atomic<bool> no_pinned_memory{false};
thread_local int device = -1;
thread_local cudaError_t last = cudaSuccess;

cudaError_t returned(cudaError_t code) {
  if (code != cudaSuccess) last = code;
  return code;
}

CUstream_st& stream_at(cudaStream_t stream) {
  static CUstream_st usual;
  return stream ? *stream : usual;
}

/// The last thing that is still to be done.
std::shared_ptr<Work> last_of(cudaStream_t stream) {
  auto& s = stream_at(stream);
  std::lock_guard lock(s.mutex);
  while (!s.works.empty() && s.works.front()->done) s.works.pop_front();
  return s.works.empty() ? nullptr : s.works.back();
}

void wait_for(std::shared_ptr<Work> const& work) {
  while (work && !work->done) std::this_thread::yield();
}

}  // namespace

void queue(cudaStream_t stream, std::shared_ptr<Work> work) {
  auto& s = stream_at(stream);
  std::lock_guard lock(s.mutex);
  s.works.push_back(std::move(work));
}

std::shared_ptr<Work> occupy(cudaStream_t stream) {
  auto work = std::make_shared<Work>();
  queue(stream, work);
  return work;
}

void set_gpus(int count) { gpus = count; }
int device_of_thread() { return device; }
cudaError_t last_error() { return last; }
void fail_pinned_memory(bool fail) { no_pinned_memory = fail; }

}  // namespace gleaner::gpu::test

using namespace gleaner::gpu::test;

namespace gleaner::gpu {

bool thread_uses_gpu() { return device >= 0; }

cudaError_t scale(Number type, void* out, void const* in, std::size_t n,
                  double factor, cudaStream_t stream) {
  wait_for(last_of(stream));
  comm::Element const elements[] = {
      comm::Element::float32, comm::Element::float64, comm::Element::float16,
      comm::Element::bfloat16};
  comm::scale(elements[std::size_t(type)], out, in, n, factor);
  return cudaSuccess;
}

}  // namespace gleaner::gpu

extern "C" {

cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
char const* cudaGetErrorString(cudaError_t) { return "as the test says"; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = gpus;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* index) {
  *index = device < 0 ? 0 : device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int index) {
  if (index < 0 || index >= gpus) return returned(cudaErrorInvalidDevice);
  device = index;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int index) {
  if (index < 0 || index >= gpus) return returned(cudaErrorInvalidDevice);
  std::snprintf(id, std::size_t(length), "0000:%02x:00.0",
                unsigned(index + 1) & 0xff);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  wait_for(last_of(stream));
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return returned(last_of(stream) ? cudaErrorNotReady : cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  wait_for(last_of(stream));
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  auto after = last_of(stream);
  std::lock_guard lock(event->mutex);
  event->after = std::move(after);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  std::lock_guard lock(event->mutex);
  bool const done = !event->after || event->after->done;
  return returned(done ? cudaSuccess : cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  std::unique_lock lock(event->mutex);
  auto const after = event->after;
  lock.unlock();
  wait_for(after);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  *data = std::malloc(bytes ? bytes : 1);
  return *data ? cudaSuccess : returned(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* data) {
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  if (no_pinned_memory) return returned(cudaErrorMemoryAllocation);
  return cudaMalloc(data, bytes);
}
cudaError_t cudaFreeHost(void* data) { return cudaFree(data); }
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes,
                            cudaStream_t stream) {
  wait_for(last_of(stream));
  std::memset(data, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes,
                            cudaMemcpyKind, cudaStream_t stream) {
  wait_for(last_of(stream));
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
/// The memory of an NVIDIA GPU.
///
/// Work goes to a stream of its own, which waits for no other: what the
/// program has queued is waited for by join() and wait_for_mark() alone.
#include "runtime/gpu/device_cuda.hh"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "runtime/gpu/cuda_call.hh"
#include "runtime/gpu/scale.hh"

namespace gleaner::gpu {
namespace {

Result<void> checked(cudaError_t code, char const* what) {
  if (cleared(code) == cudaSuccess) return {};
  return Error{Errc::io, std::string("CUDA cannot ") + what + ": " +
                             cudaGetErrorString(code)};
}

class CudaDevice final : public comm::Device {
 public:
  explicit CudaDevice(int index) : index_(index) {}
  ~CudaDevice() override {
    UseDevice const device(index_);
    if (device.code() != cudaSuccess) return;
    for (auto const& [stream, mark] : marks_)
      (void)cleared(cudaEventDestroy(mark));
    if (stream_) (void)cleared(cudaStreamDestroy(stream_));
  }

  Result<void> open() {
    UseDevice const device(index_);
    if (auto r = checked(device.code(), "use the device"); !r) return r;
    return checked(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                   "make a stream");
  }

  int index() const override { return index_; }

  Result<void*> allocate(std::size_t bytes) override {
    void* data = nullptr;
    UseDevice const device(index_);
    if (auto r = checked(cudaMalloc(&data, bytes), "allocate memory"); !r)
      return r.error();
    if (auto r = zero(data, bytes); !r) return r.error();
    return data;
  }

  void release(void* data, std::size_t) override {
    UseDevice const device(index_);
    if (device.code() == cudaSuccess) (void)cleared(cudaFree(data));
  }

  void* allocate_host(std::size_t bytes) override {
    void* data = nullptr;
    UseDevice const device(index_);
    if (cleared(cudaMallocHost(&data, bytes)) == cudaSuccess) return data;
    // Pinned memory is bounded, and the state of a large model may be too much
    // for it.  Copies from other memory are slower, and as good.
    data = std::malloc(bytes);
    std::lock_guard lock(pageable_mutex_);
    if (data) pageable_.insert(data);
    return data;
  }

  void release_host(void* data, std::size_t) override {
    {
      std::lock_guard lock(pageable_mutex_);
      if (pageable_.erase(data) > 0) return std::free(data);
    }
    (void)cleared(cudaFreeHost(data));
  }

  Result<void> zero(void* data, std::size_t bytes) override {
    return done("zero memory", [&] {
      return bytes ? cudaMemsetAsync(data, 0, bytes, stream_) : cudaSuccess;
    });
  }
  Result<void> copy(void* to, void const* from, std::size_t bytes) override {
    return move(to, from, bytes, cudaMemcpyDeviceToDevice);
  }
  Result<void> to_host(void* to, void const* from, std::size_t bytes) override {
    return move(to, from, bytes, cudaMemcpyDeviceToHost);
  }
  Result<void> from_host(void* to, void const* from,
                         std::size_t bytes) override {
    return move(to, from, bytes, cudaMemcpyHostToDevice);
  }

  Result<void> scale(comm::Element type, void* out, void const* in,
                     std::size_t n, double factor) override {
    gpu::Number number = gpu::Number::float32;
    switch (type) {
      case comm::Element::float32:
        break;
      case comm::Element::float64:
        number = gpu::Number::float64;
        break;
      case comm::Element::float16:
        number = gpu::Number::float16;
        break;
      case comm::Element::bfloat16:
        number = gpu::Number::bfloat16;
        break;
      case comm::Element::int64:
        return Error{Errc::invalid_argument, "int64 is not scaled"};
    }
    return done("scale gradients", [&] {
      return gpu::scale(number, out, in, n, factor, stream_);
    });
  }

  Result<void> join(void* stream) override {
    UseDevice const device(index_);
    return checked(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)),
                   "wait for the program's stream");
  }
  Result<void> mark(void* stream) override {
    UseDevice const device(index_);
    std::lock_guard lock(marks_mutex_);
    auto& mark = marks_[static_cast<cudaStream_t>(stream)];
    if (!mark)
      if (auto r =
              checked(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming),
                      "make an event");
          !r)
        return r;
    return checked(cudaEventRecord(mark, static_cast<cudaStream_t>(stream)),
                   "record an event");
  }
  Result<void> wait_for_mark() override {
    // The program marks others meanwhile.
    std::map<cudaStream_t, cudaEvent_t> marks;
    {
      std::lock_guard lock(marks_mutex_);
      marks = marks_;
    }
    for (auto const& [stream, mark] : marks)
      if (auto r = checked(mark ? cudaEventSynchronize(mark) : cudaSuccess,
                           "wait for gradients");
          !r)
        return r;
    return {};
  }

 private:
  Result<void> move(void* to, void const* from, std::size_t bytes,
                    cudaMemcpyKind kind) {
    return done("move memory", [&] {
      return bytes ? cudaMemcpyAsync(to, from, bytes, kind, stream_)
                   : cudaSuccess;
    });
  }

  /// Queue something and wait for it.
  template <class Queue>
  Result<void> done(char const* what, Queue queue) {
    std::lock_guard lock(mutex_);
    UseDevice const device(index_);
    if (auto queued = checked(queue(), what); !queued) return queued;
    return checked(cudaStreamSynchronize(stream_), what);
  }

  int const index_;
  std::mutex mutex_;  ///< of the stream
  cudaStream_t stream_ = nullptr;
  std::mutex pageable_mutex_;  ///< of what follows
  std::set<void*> pageable_;   ///< memory of the host that is not pinned
  std::mutex marks_mutex_;     ///< of what follows
  std::map<cudaStream_t, cudaEvent_t> marks_;  ///< the last of each stream
};

}  // namespace

Result<std::shared_ptr<comm::Device>> open_cuda_device(int index) {
  int count = 0;
  auto const asked = cleared(cudaGetDeviceCount(&count));
  if (asked != cudaSuccess || index < 0 || index >= count)
    return Error{
        Errc::not_found,
        "no CUDA device " + std::to_string(index) + " (" +
            (asked != cudaSuccess ? std::string(cudaGetErrorString(asked))
                                  : "there are " + std::to_string(count)) +
            ") [see CUDA_VISIBLE_DEVICES]"};
  auto device = std::make_shared<CudaDevice>(index);
  if (auto opened = device->open(); !opened) return opened.error();
  return std::shared_ptr<comm::Device>(std::move(device));
}

}  // namespace gleaner::gpu

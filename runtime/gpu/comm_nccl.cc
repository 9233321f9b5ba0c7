// SPDX-License-Identifier: Apache-2.0
/// The data plane over NCCL, between buffers on GPUs.
///
/// Each generation has its own communicator.  It is made without blocking,
/// beside that of the generation in use, and connected at once, as the agent
/// has set NCCL_RUNTIME_CONNECT=0.  It sums nothing before its generation is
/// switched to, as two communicators on one GPU must run in the same order on
/// all members.
///
/// Only one thread is inside NCCL at a time: the one in connect() or
/// allreduce(), which polls and never blocks, or the destructor.  stop() sets a
/// flag that the poll sees; that thread then aborts the communicator itself.
///
/// After an abort kernels end early, and what they leave looks like a sum.  So
/// allreduce() succeeds only when the host has seen the sum's event, NCCL
/// reports no error, and nobody has called stop().
///
/// `local` must be complete, for all streams, before allreduce() is called.
#include "runtime/gpu/comm_nccl.hh"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "runtime/gpu/cuda_call.hh"
#include "runtime/gpu/hex.hh"

namespace gleaner {
namespace {

using Clock = std::chrono::steady_clock;
using gpu::cleared;
using gpu::UseDevice;

/// How long an aborted kernel may go on before its GPU counts as broken.
constexpr std::chrono::seconds abort_time_max{10};
/// Sums of small buckets end within this; a longer one is not worth a core.
constexpr std::chrono::microseconds spin_time{200};
constexpr std::chrono::microseconds poll_pause{20};

Error stopped_error() { return {Errc::unavailable, "data plane stopped"}; }

Error cuda_error(char const* what, cudaError_t code) {
  return {Errc::unavailable, std::string("data plane failed: CUDA cannot ") +
                                 what + ": " + cudaGetErrorString(code)};
}

Error nccl_error(char const* what, ncclResult_t code) {
  return {Errc::unavailable, std::string("data plane failed: NCCL cannot ") +
                                 what + ": " + ncclGetErrorString(code) + " (" +
                                 ncclGetLastError(nullptr) + ")"};
}

ncclDataType_t type_of(Element type) {
  switch (type) {
    case Element::float64:
      return ncclFloat64;
    case Element::float16:
      return ncclFloat16;
    case Element::bfloat16:
      return ncclBfloat16;
    case Element::int64:
      return ncclInt64;
    case Element::float32:
      break;
  }
  return ncclFloat32;
}

/// Two communicators live at once at a switch, and each has buffers for every
/// CTA: GLEANER_NCCL_CTAS bounds them.
ncclConfig_t communicator_config() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  if (char const* text = std::getenv("GLEANER_NCCL_CTAS"))
    if (int const ctas = std::atoi(text); ctas > 0)
      config.minCTAs = 1, config.maxCTAs = ctas;
  return config;
}

class Pause {
 public:
  void operator()() {
    if (Clock::now() - begun_ > spin_time)
      std::this_thread::sleep_for(poll_pause);
    else
      std::this_thread::yield();
  }

 private:
  Clock::time_point const begun_ = Clock::now();
};

class NcclPlane final : public Plane {
 public:
  explicit NcclPlane(PlaneOptions const& options)
      : options_(options), device_(options.device->index()) {}

  ~NcclPlane() override {
    UseDevice const device(device_);
    abort();
    if (device.code() != cudaSuccess) return;
    if (event_) (void)cleared(cudaEventDestroy(event_));
    if (stream_) (void)cleared(cudaStreamDestroy(stream_));
  }

  Result<void> open() {
    UseDevice const device(device_);
    if (device.code() != cudaSuccess)
      return cuda_error("use the device", device.code());
    if (auto code =
            cleared(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        code != cudaSuccess)
      return cuda_error("make a stream", code);
    if (auto code =
            cleared(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
        code != cudaSuccess)
      return cuda_error("make an event", code);
    return {};
  }

  Result<void> connect(Exchange const& exchange, double timeout_s) override;
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type) override;
  void stop() override { stopped_ = true; }

 private:
  Result<std::string> agree_on_id(Exchange const& exchange);
  Result<void> settle(char const* what, Clock::time_point end);
  Result<void> wait_for_event();
  Error give_up(Error why) {
    abort();
    return why;
  }
  void abort();

  PlaneOptions const options_;
  int const device_;
  std::atomic<bool> stopped_{false};
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  ncclComm_t comm_ = nullptr;
};

/// Returns when nothing of this plane runs on the GPU any more.  The device is
/// in use.
void NcclPlane::abort() {
  stopped_ = true;
  if (!comm_) return;
  ncclCommAbort(comm_);
  comm_ = nullptr;
  auto const end = Clock::now() + abort_time_max;
  Pause pause;
  while (cleared(cudaStreamQuery(stream_)) == cudaErrorNotReady &&
         Clock::now() < end)
    pause();
}

/// Until what was begun on the communicator is no longer in progress.
Result<void> NcclPlane::settle(char const* what, Clock::time_point end) {
  Pause pause;
  for (;;) {
    ncclResult_t state = ncclSuccess;
    auto const asked = ncclCommGetAsyncError(comm_, &state);
    if (stopped_) return stopped_error();
    if (asked != ncclSuccess) return nccl_error(what, asked);
    if (state == ncclSuccess) return {};
    if (state != ncclInProgress) return nccl_error(what, state);
    if (Clock::now() > end)
      return Error{Errc::timed_out, std::string("NCCL cannot ") + what +
                                        " in time (a member is not there, or "
                                        "its network is another: see "
                                        "NCCL_SOCKET_IFNAME)"};
    pause();
  }
}

/// The id that rank 0 has made.
Result<std::string> NcclPlane::agree_on_id(Exchange const& exchange) {
  std::string mine;
  if (options_.rank == 0) {
    ncclUniqueId id;
    if (auto code = ncclGetUniqueId(&id); code != ncclSuccess)
      return nccl_error("make an id", code);
    mine = hex_of(&id, sizeof id);
  }
  auto ids = exchange("nccl", mine);
  if (!ids) return ids.error();
  auto id = ids->empty() ? std::string() : bytes_of(ids->front());
  if (id.size() != sizeof(ncclUniqueId))
    return Error{Errc::invalid_argument,
                 "rank 0 has sent no id of an NCCL communicator"};
  return id;
}

Result<void> NcclPlane::connect(Exchange const& exchange, double timeout_s) {
  if (stopped_) return stopped_error();
  auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_s));
  auto const text = agree_on_id(exchange);
  if (!text) return text.error();
  if (stopped_) return stopped_error();
  ncclUniqueId id;
  std::memcpy(&id, text->data(), sizeof id);
  auto config = communicator_config();
  UseDevice const device(device_);
  auto const begun =
      ncclCommInitRankConfig(&comm_, options_.size, id, options_.rank, &config);
  if (begun != ncclSuccess && begun != ncclInProgress)
    return give_up(nccl_error("connect", begun));
  if (auto done = settle("connect", end); !done) return give_up(done.error());
  return {};
}

/// Until the sum is in memory, or is not to be waited for any more.
Result<void> NcclPlane::wait_for_event() {
  Pause pause;
  for (;;) {
    auto const code = cleared(cudaEventQuery(event_));
    ncclResult_t state = ncclSuccess;
    auto const asked = ncclCommGetAsyncError(comm_, &state);
    if (stopped_) return stopped_error();
    if (code != cudaSuccess && code != cudaErrorNotReady)
      return cuda_error("sum", code);
    if (asked != ncclSuccess || state != ncclSuccess)
      return nccl_error("sum", asked != ncclSuccess ? asked : state);
    if (code == cudaSuccess) return {};
    pause();
  }
}

Result<void> NcclPlane::allreduce(void const* local, void* sum, std::size_t n,
                                  Element type) {
  if (stopped_ || !comm_) return stopped_error();
  if (n == 0) return {};
  UseDevice const device(device_);
  auto const begun =
      ncclAllReduce(local, sum, n, type_of(type), ncclSum, comm_, stream_);
  if (begun != ncclSuccess && begun != ncclInProgress)
    return give_up(nccl_error("sum", begun));
  // It is queued once this returns; others may be late, so there is no limit.
  if (auto queued = settle("sum", Clock::time_point::max()); !queued)
    return give_up(queued.error());
  if (auto code = cleared(cudaEventRecord(event_, stream_));
      code != cudaSuccess)
    return give_up(cuda_error("record an event", code));
  if (auto done = wait_for_event(); !done) return give_up(done.error());
  return {};
}

}  // namespace

Result<std::unique_ptr<Plane>> make_nccl_plane(PlaneOptions const& options) {
  if (!options.device)
    return Error{Errc::invalid_argument, "data plane 'nccl' without a GPU"};
  auto plane = std::make_unique<NcclPlane>(options);
  if (auto opened = plane->open(); !opened) return opened.error();
  return std::unique_ptr<Plane>(std::move(plane));
}

}  // namespace gleaner

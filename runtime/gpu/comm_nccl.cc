// SPDX-License-Identifier: Apache-2.0
/// The data plane over NCCL, between buffers on GPUs.
///
/// Each generation has its own communicator.  It is made without blocking,
/// beside that of the generation in use, and connected at once, as the agent
/// has set NCCL_RUNTIME_CONNECT=0.  It sums nothing before its generation is
/// switched to, as two communicators on one GPU must run in the same order on
/// all members.
///
/// Only one thread is inside NCCL at a time: the one in connect(), begin() or
/// finish(), which polls and never blocks, or the destructor.  stop() sets a
/// flag that the poll sees; that thread then aborts the communicator itself.
///
/// Sums are queued one behind the other: begin() returns when NCCL has queued
/// its sum, finish() waits for an event behind the last one.
///
/// After an abort kernels end early, and what they leave looks like a sum.  So
/// finish() succeeds only when the host has seen that event, NCCL reports no
/// error, and nobody has called stop().
///
/// An id is made only when all members have said that they are there: the
/// thread and the socket that NCCL makes with it stay until all have called in,
/// and nothing can end them.
///
/// `local` must be complete, for all streams, before begin() is called.
#include "runtime/gpu/comm_nccl.hh"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "runtime/gpu/cuda_call.hh"
#include "runtime/gpu/hex.hh"
#include "runtime/gpu/nccl_contact.hh"
#include "runtime/gpu/nccl_version.hh"

// With NCCL 2.23, and NULL in a program that has loaded an older one.
extern "C" [[gnu::weak]] ncclResult_t ncclCommInitRankScalable(
    ncclComm_t* comm, int size, int rank, int ids, ncclUniqueId* id,
    ncclConfig_t* config);

namespace gleaner::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// How long an aborted kernel may go on before its GPU counts as broken.
constexpr std::chrono::milliseconds usual_abort_time_max{10'000};
/// Sums of small buckets end within this; a longer one is not worth a core.
constexpr std::chrono::microseconds spin_time{200};
constexpr std::chrono::microseconds poll_pause{20};

Error stopped_error() { return {Errc::unavailable, "data plane stopped"}; }

Error cuda_error(char const* what, cudaError_t code) {
  return {Errc::unavailable, std::string("data plane failed: CUDA cannot ") +
                                 what + ": " + cudaGetErrorString(code)};
}

/// What ncclGetVersion() says.
Result<int> loaded_version() {
  int version = 0;
  if (auto code = ncclGetVersion(&version); code != ncclSuccess)
    return Error{Errc::unavailable,
                 std::string("NCCL does not say its version: ") +
                     ncclGetErrorString(code)};
  return version;
}

Error nccl_error(char const* what, ncclResult_t code) {
  auto const version = loaded_version();
  return {Errc::unavailable,
          std::string("data plane failed: NCCL ") +
              (version ? gpu::nccl_version_text(*version) : "") + " cannot " +
              what + ": " + ncclGetErrorString(code) + " (" +
              ncclGetLastError(nullptr) + ")"};
}

ncclDataType_t type_of(comm::Element type) {
  switch (type) {
    case comm::Element::float64:
      return ncclFloat64;
    case comm::Element::float16:
      return ncclFloat16;
    case comm::Element::bfloat16:
      return ncclBfloat16;
    case comm::Element::int64:
      return ncclInt64;
    case comm::Element::float32:
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

class NcclPlane final : public comm::Plane {
 public:
  NcclPlane(comm::PlaneOptions const& options,
            std::chrono::milliseconds abort_time_max)
      : options_(options),
        device_(options.device->index()),
        abort_time_max_(abort_time_max) {}

  ~NcclPlane() override {
    UseDevice const device(device_);
    (void)abort();
    if (device.code() != cudaSuccess) return;
    if (event_) (void)cleared(cudaEventDestroy(event_));
    if (stream_) (void)cleared(cudaStreamDestroy(stream_));
  }

  Result<void> open() {
    auto const version = loaded_version();
    if (!version) return version.error();
    if (auto good = gpu::check_nccl_version(*version, NCCL_VERSION_CODE); !good)
      return good;
    version_ = *version;
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

  Result<void> connect(comm::Exchange const& exchange,
                       double timeout_s) override;
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         comm::Element type) override {
    auto const begun = begin(local, sum, n, type);
    return begun ? finish() : begun;
  }
  Result<void> begin(void const* local, void* sum, std::size_t n,
                     comm::Element type) override;
  Result<void> finish() override;
  bool at_rest() const override { return at_rest_; }
  void stop() override { stopped_ = true; }

 private:
  Result<void> meet(comm::Exchange const& exchange);
  Result<std::vector<ncclUniqueId>> agree_on_ids(
      comm::Exchange const& exchange);
  Result<void> settle(char const* what, Clock::time_point end);
  Result<void> wait_for_event();
  Error give_up(Error why);
  bool abort();

  comm::PlaneOptions const options_;
  int const device_;
  std::chrono::milliseconds const abort_time_max_;
  int version_ = 0;  ///< of the NCCL that is loaded
  std::atomic<bool> stopped_{false};
  bool at_rest_ = true;
  bool begun_ = false;  ///< sums are queued for which nobody has waited
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  ncclComm_t comm_ = nullptr;
};

/// Whether nothing of this plane runs on the GPU any more.  The device is in
/// use.
bool NcclPlane::abort() {
  stopped_ = true;
  begun_ = false;
  if (!comm_) return true;
  ncclCommAbort(comm_);
  comm_ = nullptr;
  auto const end = Clock::now() + abort_time_max_;
  Pause pause;
  for (;;) {
    if (cleared(cudaStreamQuery(stream_)) != cudaErrorNotReady) return true;
    if (Clock::now() > end) return false;
    pause();
  }
}

/// Abort.  The error to return: of the sum, or that it may still be written.
Error NcclPlane::give_up(Error why) {
  at_rest_ = abort();
  if (at_rest_) return why;
  auto const waited_s =
      std::chrono::duration_cast<std::chrono::seconds>(abort_time_max_);
  return {Errc::unavailable,
          "a sum of NCCL still runs on the GPU " +
              std::to_string(waited_s.count()) +
              " s after it was aborted, and may write to gradients (" +
              why.message + ")"};
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

/// Tell the others what this member is, and hear what they are.
Result<void> NcclPlane::meet(comm::Exchange const& exchange) {
  char gpu[32] = "";
  if (auto code = cleared(cudaDeviceGetPCIBusId(gpu, sizeof gpu, device_));
      code != cudaSuccess)
    return cuda_error("tell which device this is", code);
  gpu::NcclContact const mine{version_, gpu::nccl_host(), options_.node, gpu};
  auto const texts = exchange("gpu", mine.text());
  if (!texts) return texts.error();
  std::vector<gpu::NcclContact> contacts;
  for (auto const& text : *texts) {
    auto contact = gpu::NcclContact::parse(text);
    if (!contact) return contact.error();
    contacts.push_back(std::move(*contact));
  }
  return gpu::check_contacts(contacts);
}

/// The ids that some members have made.
Result<std::vector<ncclUniqueId>> NcclPlane::agree_on_ids(
    comm::Exchange const& exchange) {
  auto const makers =
      gpu::id_makers(options_.size, ncclCommInitRankScalable ? gpu::Ids::several
                                                             : gpu::Ids::one);
  std::string mine;
  if (std::find(makers.begin(), makers.end(), options_.rank) != makers.end()) {
    ncclUniqueId id;
    if (auto code = ncclGetUniqueId(&id); code != ncclSuccess)
      return nccl_error("make an id", code);
    mine = hex_of(&id, sizeof id);
  }
  auto const texts = exchange("nccl", mine);
  if (!texts) return texts.error();
  std::vector<ncclUniqueId> ids;
  for (auto const maker : makers) {
    auto const bytes = std::size_t(maker) < texts->size()
                           ? bytes_of((*texts)[std::size_t(maker)])
                           : std::string();
    if (bytes.size() != sizeof(ncclUniqueId))
      return Error{Errc::invalid_argument,
                   "rank " + std::to_string(maker) +
                       " has sent no id of an NCCL communicator"};
    std::memcpy(&ids.emplace_back(), bytes.data(), bytes.size());
  }
  return ids;
}

Result<void> NcclPlane::connect(comm::Exchange const& exchange,
                                double timeout_s) {
  if (stopped_) return stopped_error();
  auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_s));
  UseDevice const device(device_);
  if (auto met = meet(exchange); !met) return met;
  if (stopped_) return stopped_error();
  auto ids = agree_on_ids(exchange);
  if (!ids) return ids.error();
  if (stopped_) return stopped_error();
  auto config = communicator_config();
  auto const begun =
      ids->size() == 1
          ? ncclCommInitRankConfig(&comm_, options_.size, ids->front(),
                                   options_.rank, &config)
          : ncclCommInitRankScalable(&comm_, options_.size, options_.rank,
                                     int(ids->size()), ids->data(), &config);
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

Result<void> NcclPlane::begin(void const* local, void* sum, std::size_t n,
                              comm::Element type) {
  if (stopped_ || !comm_) return stopped_error();
  if (n == 0) return {};
  UseDevice const device(device_);
  begun_ = true;
  auto const code =
      ncclAllReduce(local, sum, n, type_of(type), ncclSum, comm_, stream_);
  if (code != ncclSuccess && code != ncclInProgress)
    return give_up(nccl_error("sum", code));
  // A communicator takes nothing else until it has queued this.  It does so
  // whether the others have come or not.
  if (auto queued = settle("sum", Clock::time_point::max()); !queued)
    return give_up(queued.error());
  return {};
}

/// The others may be late, so there is no limit.
Result<void> NcclPlane::finish() {
  UseDevice const device(device_);
  if (!begun_) return {};
  if (auto code = cleared(cudaEventRecord(event_, stream_));
      code != cudaSuccess)
    return give_up(cuda_error("record an event", code));
  if (auto done = wait_for_event(); !done) return give_up(done.error());
  begun_ = false;
  return {};
}

}  // namespace

Result<std::unique_ptr<comm::Plane>> make_nccl_plane(
    comm::PlaneOptions const& options) {
  return make_nccl_plane(options, usual_abort_time_max);
}

Result<std::unique_ptr<comm::Plane>> make_nccl_plane(
    comm::PlaneOptions const& options,
    std::chrono::milliseconds abort_time_max) {
  if (!options.device)
    return Error{Errc::invalid_argument, "data plane 'nccl' without a GPU"};
  auto plane = std::make_unique<NcclPlane>(options, abort_time_max);
  if (auto opened = plane->open(); !opened) return opened.error();
  return std::unique_ptr<comm::Plane>(std::move(plane));
}

}  // namespace gleaner::gpu

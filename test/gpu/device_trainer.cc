// SPDX-License-Identifier: Apache-2.0
/// Trains like test/runtime/trainer.c, its parameters and gradients on a
/// device.
///
/// The device is what $GLEANER_MODULES has: a GPU, or one whose memory the
/// processor cannot touch.  Ends with "done ... weight=": 1 + 2 + ... + samples
/// when every sample was used once.
///
///   device_trainer [SAMPLES [PARAMS [STEP-MS]]]
#include <dlfcn.h>
#include <gleaner/gleaner.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "runtime/comm/gpu_module.hh"

namespace {

std::shared_ptr<gleaner::comm::Device> open_device() {
  char const* modules = std::getenv("GLEANER_MODULES");
  auto const path = std::string(modules ? modules : "") + "/libgleaner_gpu.so";
  void* const library = ::dlopen(path.c_str(), RTLD_NOW);
  auto const* module = library ? static_cast<gleaner::comm::GpuModule const*>(
                                     ::dlsym(library, "gleaner_gpu_module"))
                               : nullptr;
  if (!module) {
    std::fprintf(stderr, "device_trainer: no module '%s'\n", path.c_str());
    std::exit(3);
  }
  auto device = module->open_device(0);
  if (!device) {
    std::fprintf(stderr, "device_trainer: %s\n",
                 device.error().message.c_str());
    std::exit(3);
  }
  return *device;
}

/// What a call of libgleaner returned, if that is no error.
int checked(int code, gleaner_training* g, char const* what) {
  if (code >= 0) return code;
  std::fprintf(stderr, "device_trainer: %s: %s: %s\n", what,
               gleaner_strerror(code), gleaner_error(g));
  std::exit(3);
}

void must(gleaner::Result<void> const& done) {
  if (done) return;
  std::fprintf(stderr, "device_trainer: %s\n", done.error().message.c_str());
  std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  auto const option = [&](int i, long value) {
    return argc > i ? std::atol(argv[i]) : value;
  };
  // Members that share a GPU claim hosts of their own; see test/gpu.
  if (char const* member = std::getenv("GLEANER_MEMBER"))
    ::setenv("NCCL_HOSTID", (std::string("member-") + member).c_str(), 1);
  auto const device = open_device();
  std::vector<double> host(std::size_t(option(2, 1000)));
  auto const bytes = host.size() * sizeof(double);
  void* const weight = *device->allocate(bytes);
  std::int64_t const shape[] = {std::int64_t(host.size())};

  gleaner_options options = GLEANER_OPTIONS_INIT;
  options.dataset_size = std::uint64_t(option(1, 400));
  options.global_batch = 16;
  gleaner_training* g = nullptr;
  checked(gleaner_open(&options, &g), g, "open");
  checked(gleaner_tensor_on(g, "weight", weight, GLEANER_FLOAT64, shape, 1,
                            GLEANER_PARAM, 0),
          g, "tensor_on");
  void* const gradient = gleaner_gradient(g, "weight");
  int code = checked(gleaner_start(g), g, "start");
  gleaner_step_info step;
  while (code == GLEANER_OK &&
         checked(code = gleaner_step(g, &step), g, "step") == GLEANER_STEP) {
    do {
      gleaner_step_now(g, &step);
      std::this_thread::sleep_for(std::chrono::milliseconds(option(3, 10)));
      double sum = 0;
      for (std::size_t i = 0; i < step.n_samples; ++i)
        sum += double(step.samples[i] + 1);
      must(device->to_host(host.data(), gradient, bytes));
      for (auto& x : host) x += sum / step.global_batch;
      must(device->from_host(gradient, host.data(), bytes));
      gleaner_gradient_ready(g, "weight");
    } while (checked(code = gleaner_reduce(g), g, "reduce") == GLEANER_MORE);
    if (code != GLEANER_OK) break;
    auto weights = host;
    must(device->to_host(host.data(), gradient, bytes));
    must(device->to_host(weights.data(), weight, bytes));
    for (std::size_t i = 0; i < host.size(); ++i)
      weights[i] += host[i] * step.global_batch;
    must(device->from_host(weight, weights.data(), bytes));
  }
  must(device->to_host(host.data(), weight, bytes));
  for (double w : host)
    if (w != host[0]) return 4;
  std::printf("%s weight=%.3f\n", code == GLEANER_DONE ? "done" : "leave",
              host[0]);
  gleaner_close(g);
  device->release(weight, bytes);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
/// A training with memory of a device, through gleaner.h alone.
///
/// The device is one whose memory the processor cannot touch (walled/), so
/// that any forgotten copy ends the test.
#include <dlfcn.h>
#include <gleaner/gleaner.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/comm/gpu_module.hh"
#include "test/unit/catch.hh"

namespace gleaner::member {

namespace {

/// The device that libgleaner will open, too.
std::shared_ptr<comm::Device> device() {
  ::setenv("GLEANER_MODULES", MODULES, 1);
  void* const library = ::dlopen(MODULES "/libgleaner_gpu.so", RTLD_NOW);
  INFO((library ? "" : ::dlerror()));
  REQUIRE(library);
  auto const* module = static_cast<comm::GpuModule const*>(
      ::dlsym(library, "gleaner_gpu_module"));
  REQUIRE(module);
  auto opened = module->open_device(0);
  REQUIRE(opened);
  return *opened;
}

struct Training {
  gleaner_training* g = nullptr;
  Training() {
    for (auto const* name : {"GLEANER_COORDINATOR", "GLEANER_COMM"})
      ::unsetenv(name);
    gleaner_options options = GLEANER_OPTIONS_INIT;
    options.dataset_size = 60;
    options.global_batch = 20;
    REQUIRE(gleaner_open(&options, &g) == GLEANER_OK);
  }
  ~Training() { gleaner_close(g); }
};

constexpr std::int64_t shape[] = {1000};
constexpr std::size_t bytes = 1000 * sizeof(float);

}  // namespace

TEST_CASE("gradients and parameters on a device are never touched directly") {
  auto const gpu = device();
  std::vector<float> weights(1000, 1), gradient(1000);
  void* const memory = *gpu->allocate(bytes);
  REQUIRE(gpu->from_host(memory, weights.data(), bytes));
  double count = 0;
  Training training;
  auto* g = training.g;
  REQUIRE(gleaner_tensor_on(g, "w", memory, GLEANER_FLOAT32, shape, 1,
                            GLEANER_PARAM, 0) == GLEANER_OK);
  REQUIRE(gleaner_tensor_on(g, "count", &count, GLEANER_FLOAT64, nullptr, 0,
                            GLEANER_BUFFER, -1) == GLEANER_OK);
  REQUIRE(gleaner_stream(g, nullptr) == GLEANER_OK);
  REQUIRE(gleaner_start(g) == GLEANER_OK);
  void* const at = gleaner_gradient(g, "w");
  REQUIRE(at);
  gleaner_step_info step;
  int code = 0;
  while ((code = gleaner_step(g, &step)) == GLEANER_STEP) {
    do {
      // It is zero at first.
      REQUIRE(gpu->to_host(gradient.data(), at, bytes));
      CHECK(gradient == std::vector<float>(1000));
      for (auto& x : gradient)
        x += float(step.n_samples) / float(step.global_batch);
      REQUIRE(gpu->from_host(at, gradient.data(), bytes));
      REQUIRE(gleaner_gradient_ready(g, "w") == GLEANER_OK);
    } while ((code = gleaner_reduce(g)) == GLEANER_MORE);
    REQUIRE(code == GLEANER_OK);
    REQUIRE(gpu->to_host(gradient.data(), at, bytes));
    CHECK(gradient == std::vector<float>(1000, 1));
    ++count;
  }
  CHECK(code == GLEANER_DONE);
  CHECK(count == 3);
}

TEST_CASE("a member has one GPU, and one that is there") {
  auto const gpu = device();
  void* const memory = *gpu->allocate(bytes);
  Training training;
  auto* g = training.g;
  auto const says = [&](char const* text) {
    INFO(gleaner_error(g));
    return std::string(gleaner_error(g)).find(text) != std::string::npos;
  };
  CHECK(gleaner_tensor_on(g, "w", memory, GLEANER_FLOAT32, shape, 1,
                          GLEANER_PARAM, 5) == GLEANER_EINVAL);
  CHECK(says("no CUDA device 5"));
  CHECK(gleaner_tensor_on(g, "w", memory, GLEANER_FLOAT32, shape, 1,
                          GLEANER_PARAM, 0) == GLEANER_OK);
  CHECK(gleaner_tensor_on(g, "v", memory, GLEANER_FLOAT32, shape, 1,
                          GLEANER_BUFFER, 1) == GLEANER_EINVAL);
  CHECK(says("a member has one GPU"));
  std::vector<float> host(1000);
  CHECK(gleaner_tensor(g, "u", host.data(), GLEANER_FLOAT32, shape, 1,
                       GLEANER_PARAM) == GLEANER_EINVAL);
  CHECK(says("lies elsewhere"));
  CHECK(gleaner_tensor_on(g, "n", nullptr, GLEANER_FLOAT32, shape, 1,
                          GLEANER_BUFFER, 0) == GLEANER_EINVAL);
  CHECK(says("data is NULL"));
}

}  // namespace gleaner::member

// SPDX-License-Identifier: Apache-2.0
/// Which GPUs a member sees.
#include "runtime/agent/gpu_share.hh"

#include "test/unit/catch.hh"

namespace gleaner {
namespace {

TEST_CASE("CUDA_VISIBLE_DEVICES is read as CUDA reads it") {
  using List = std::vector<std::string>;
  CHECK(visible_gpus("0,1,3") == List{"0", "1", "3"});
  CHECK(visible_gpus("GPU-1a,GPU-2b") == List{"GPU-1a", "GPU-2b"});
  CHECK(visible_gpus("0,-1,1") == List{"0"});
  CHECK(visible_gpus("") == List{});
  CHECK(visible_gpus("NoDevFiles") == List{});
}

TEST_CASE("a member has its own GPU when there is one for each, else all") {
  CHECK(gpu_share({"4", "5"}, 1, 2) == "5");
  CHECK(gpu_share({"4", "5"}, 0, 1) == "4,5");
  CHECK(gpu_share({"4", "5"}, 0, 3) == "4,5");
}

}  // namespace
}  // namespace gleaner

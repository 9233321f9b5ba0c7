// SPDX-License-Identifier: Apache-2.0
/// Which GPUs a member sees.
#include "runtime/agent/gpu_share.hh"

#include "test/unit/catch.hh"

namespace gleaner::agent {
namespace {

TEST_CASE("CUDA_VISIBLE_DEVICES is read as CUDA reads it") {
  using List = std::vector<std::string>;
  CHECK(visible_gpus("0,1,3") == List{"0", "1", "3"});
  CHECK(visible_gpus("GPU-1a,GPU-2b") == List{"GPU-1a", "GPU-2b"});
  CHECK(visible_gpus("0,-1,1") == List{"0"});
  CHECK(visible_gpus("") == List{});
  CHECK(visible_gpus("NoDevFiles") == List{});
}

std::vector<std::string> shares(std::vector<std::string> const& gpus,
                                std::size_t members) {
  std::vector<std::string> shares;
  for (std::size_t i = 0; i < members; ++i)
    shares.push_back(gpu_share(gpus, i, members));
  return shares;
}

TEST_CASE("members have slices of the GPUs of a node") {
  using List = std::vector<std::string>;
  CHECK(shares({"4", "5"}, 1) == List{"4,5"});
  CHECK(shares({"4", "5"}, 2) == List{"4", "5"});
  CHECK(shares({"0", "1", "2", "3"}, 2) == List{"0,1", "2,3"});
  CHECK(shares({"0", "1", "2"}, 2) == List{"0", "1,2"});
  CHECK(shares({}, 2) == List{"", ""});
}

TEST_CASE("more members than GPUs have one each, shared evenly") {
  using List = std::vector<std::string>;
  CHECK(shares({"4", "5"}, 3) == List{"4", "4", "5"});
  CHECK(shares({"4", "5"}, 4) == List{"4", "4", "5", "5"});
  CHECK(shares({"GPU-1a"}, 3) == List{"GPU-1a", "GPU-1a", "GPU-1a"});
}

}  // namespace
}  // namespace gleaner::agent

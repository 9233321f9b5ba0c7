// SPDX-License-Identifier: Apache-2.0
/// How the part that needs CUDA and NCCL is found, and what is said where it
/// or a GPU is not there.
#include "runtime/comm/gpu_module.hh"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "planes/walled_device.hh"
#include "runtime/comm/comm_staged.hh"
#include "runtime/gpu/hex.hh"
#include "test/unit/catch.hh"

namespace gleaner::comm {

namespace {

bool says(Error const& error, std::string const& text) {
  INFO(error.message);
  CHECK(error.message.find(text) != std::string::npos);
  return error.message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a module that is missing, broken or another library is named") {
  std::string directory = "/tmp/gleaner-test-XXXXXX";
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  auto const missing = load_gpu_module(directory + "/none.so");
  REQUIRE(!missing);
  CHECK(missing.error().code == Errc::not_found);
  CHECK(says(missing.error(), "'" + directory + "/none.so' is not there"));

  std::ofstream(directory + "/text.so") << "no library";
  auto const broken = load_gpu_module(directory + "/text.so");
  REQUIRE(!broken);
  CHECK(says(broken.error(), "cannot be loaded"));

  auto const other = load_gpu_module("/lib/x86_64-linux-gnu/libz.so.1");
  REQUIRE(!other);
  CHECK((says(other.error(), "is another library") ||
         says(other.error(), "is not there")));
  std::filesystem::remove_all(directory);
}

TEST_CASE("without a GPU, plane nccl is refused with what to do") {
  auto const plane = make_plane("nccl", {0, 2, "127.0.0.1"});
  REQUIRE(!plane);
  CHECK(plane.error().code == Errc::invalid_argument);
  CHECK(says(plane.error(), "gleaner_tensor_on()"));
}

TEST_CASE("NCCL's id travels as text") {
  std::string const id("\0\xff\x7f id\n", 7);
  CHECK(gpu::hex_of(id.data(), id.size()) == "00ff7f2069640a");
  CHECK(gpu::bytes_of(gpu::hex_of(id.data(), id.size())) == id);
  CHECK(gpu::bytes_of("0").empty());
  CHECK(gpu::bytes_of("0g").empty());
  CHECK(gpu::bytes_of("").empty());
}

TEST_CASE("one member's sum on a device is a copy there") {
  auto const device = std::make_shared<test::WalledDevice>();
  auto const plane = make_plane("auto", {0, 1, "127.0.0.1", device});
  REQUIRE(plane);
  float const mine[] = {1, 2, 3};
  float sum[3] = {};
  void* const local = *device->allocate(sizeof mine);
  void* const result = *device->allocate(sizeof mine);
  REQUIRE(device->from_host(local, mine, sizeof mine));
  REQUIRE((*plane)->allreduce(local, result, 3, Element::float32));
  REQUIRE(device->to_host(sum, result, sizeof sum));
  CHECK(sum[2] == 3);
  (*plane)->stop();
  CHECK(!(*plane)->allreduce(local, result, 3, Element::float32));
}

#ifdef GPU_MODULE_BUILT
TEST_CASE("the module that was built loads; it names the GPU that is missing") {
  char const* path = std::getenv("GLEANER_TEST_GPU_MODULE");
  REQUIRE(path);
  auto const module = load_gpu_module(path);
  INFO((module ? "" : module.error().message));
  REQUIRE(module);
  auto const device = (*module)->open_device(12345);
  REQUIRE(!device);
  CHECK(device.error().code == Errc::not_found);
  CHECK(says(device.error(), "no CUDA device 12345"));
  CHECK(says(device.error(), "CUDA_VISIBLE_DEVICES"));
  CHECK(!(*module)->make_plane({0, 2, "127.0.0.1"}));
}
#endif

}  // namespace gleaner::comm

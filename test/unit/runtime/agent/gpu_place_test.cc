// SPDX-License-Identifier: Apache-2.0
/// Which GPUs are where, by the files of a machine written down here.
#include "runtime/agent/gpu_place.hh"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "test/unit/catch.hh"

namespace gleaner::agent {
namespace {

namespace fs = std::filesystem;

/// A machine with these GPUs: address, minor number, UUID, hardware threads.
class Node {
 public:
  Node() {
    std::string name = "/tmp/gleaner-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~Node() { fs::remove_all(root_); }
  Node(Node const&) = delete;

  std::string root() const { return root_; }

  void gpu(std::string const& address, int minor, std::string const& uuid,
           std::string const& cpus) {
    put("proc/driver/nvidia/gpus/" + address + "/information",
        "Model: \t\t NVIDIA H100\nIRQ:   \t\t 52\nGPU UUID: \t " + uuid +
            "\nVideo BIOS: \t 96.00\nBus Location: \t " + address +
            "\nDevice Minor: \t " + std::to_string(minor) +
            "\nGPU Excluded:\t No\n");
    put("sys/bus/pci/devices/" + address + "/local_cpulist", cpus + "\n");
    put("dev/nvidia" + std::to_string(minor), "");
  }
  void take_away(int minor) {
    fs::remove(root_ / ("dev/nvidia" + std::to_string(minor)));
  }

 private:
  void put(std::string const& path, std::string const& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  fs::path root_;
};

TEST_CASE("a GPU is found by number and by UUID, with what is near it") {
  Node node;
  node.gpu("0000:b8:00.0", 0, "GPU-bbbb", "16-31");
  node.gpu("0000:18:00.0", 1, "GPU-aaaa", "0-15");
  auto const places = gpu_places(node.root());
  REQUIRE(places.size() == 2);
  // CUDA counts in the order of addresses, whatever the driver's numbers are.
  CHECK(cpus_near(places, "0") == "0-15");
  CHECK(cpus_near(places, "1") == "16-31");
  CHECK(cpus_near(places, "GPU-bbbb") == "16-31");
  CHECK(cpus_near(places, "GPU-a") == "0-15");
}

TEST_CASE("what is not known is near nothing") {
  Node node;
  node.gpu("0000:18:00.0", 0, "GPU-aaaa", "0-15");
  node.gpu("0000:3b:00.0", 1, "GPU-bbbb", "0-15");
  node.gpu("0000:b8:00.0", 2, "GPU-cccc", "16-31");
  auto const places = gpu_places(node.root());
  CHECK(cpus_near(places, "") == "");
  CHECK(cpus_near(places, "3") == "");
  CHECK(cpus_near(places, "MIG-1234") == "");
  CHECK(cpus_near(places, "0,1") == "0-15");  // the same for both
  CHECK(cpus_near(places, "1,2") == "");
  CHECK(gpu_places(node.root() + "/none").empty());
}

TEST_CASE("another job's GPU is not counted") {
  Node node;
  node.gpu("0000:18:00.0", 0, "GPU-aaaa", "0-15");
  node.gpu("0000:b8:00.0", 1, "GPU-bbbb", "16-31");
  node.take_away(0);
  CHECK(cpus_near(gpu_places(node.root()), "0") == "16-31");
}

}  // namespace
}  // namespace gleaner::agent

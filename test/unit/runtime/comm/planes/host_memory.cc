// SPDX-License-Identifier: Apache-2.0
/// Buffers in memory of the host.
#include <cstring>

#include "planes/plane_under_test.hh"

namespace gleaner::comm::test {
namespace {

class HostMemory final : public TestMemory {
 public:
  explicit HostMemory(std::size_t bytes) : bytes_(bytes) {}
  void* at() override { return bytes_.data(); }
  void put(void const* from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(bytes_.data(), from, bytes);
  }
  void get(void* to, std::size_t bytes) const override {
    if (bytes > 0) std::memcpy(to, bytes_.data(), bytes);
  }

 private:
  std::vector<char> bytes_;
};

}  // namespace

std::unique_ptr<TestMemory> host_memory(std::size_t bytes) {
  return std::make_unique<HostMemory>(bytes);
}

}  // namespace gleaner::comm::test

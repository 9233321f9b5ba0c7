// SPDX-License-Identifier: Apache-2.0
/// The data planes of this build that need nothing but this machine.
#include <cstring>

#include "planes/plane_under_test.hh"

namespace gleaner::test {
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

PlaneUnderTest plane(std::string kind, PlaneUnderTest::Hosting hosting) {
  PlaneUnderTest entry;
  entry.hosting = hosting;
  entry.name =
      kind + (hosting == PlaneUnderTest::Hosting::threads ? ", threads"
                                                          : ", processes");
  entry.make = [kind](int, PlaneOptions const& options) {
    return make_plane(kind, options);
  };
  return entry;
}

}  // namespace

std::unique_ptr<TestMemory> host_memory(std::size_t bytes) {
  return std::make_unique<HostMemory>(bytes);
}

std::vector<PlaneUnderTest> planes_under_test() {
  using Hosting = PlaneUnderTest::Hosting;
  std::vector<PlaneUnderTest> planes;
  auto self = plane("self", Hosting::threads);
  self.members_max = 1;
  planes.push_back(self);
  if (planes_available().find("gloo") != std::string::npos)
    for (auto hosting : {Hosting::threads, Hosting::processes})
      planes.push_back(plane("gloo", hosting));
  return planes;
}

}  // namespace gleaner::test

// SPDX-License-Identifier: Apache-2.0
/// The data planes of this build that need nothing but this machine.
#include <array>
#include <cstring>
#include <mutex>
#include <new>

#include "planes/comm_hosts.hh"
#include "planes/device_memory.hh"
#include "planes/walled_device.hh"
#include "runtime/os/memory.hh"

namespace gleaner::comm::test {
namespace {

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

/// As with gradients on a GPU, where members have no NCCL.
PlaneUnderTest on_a_device(std::string const& kind) {
  auto entry = plane(kind, PlaneUnderTest::Hosting::threads);
  entry.name += ", buffers on a device";
  auto const device = std::make_shared<WalledDevice>();
  entry.make = [kind, device](int, PlaneOptions options) {
    options.device = device;
    return make_plane(kind, options);
  };
  entry.memory = [device](std::size_t bytes) {
    return std::make_unique<DeviceMemory>(device, bytes);
  };
  return entry;
}

/// Memory that comm processes map, for buffers of members in this process.
class Pool {
 public:
  Pool() : memory_(std::size_t(1) << 31, os::Sharing::by_descriptor) {}

  SharedRegion region() const {
    return {memory_.data(), memory_.bytes(), memory_.descriptor()};
  }
  /// Started over when nobody has any.
  char* take(std::size_t bytes) {
    std::lock_guard lock(mutex_);
    if (users_++ == 0) used_ = 0;
    auto* at = memory_.data() + used_;
    used_ += (bytes + 63) / 64 * 64;
    return used_ <= memory_.bytes() ? at : throw std::bad_alloc();
  }
  void give_back() {
    std::lock_guard lock(mutex_);
    --users_;
  }

 private:
  os::Memory memory_;
  std::mutex mutex_;
  std::size_t used_ = 0;
  int users_ = 0;
};

class PoolMemory final : public TestMemory {
 public:
  PoolMemory(Pool& pool, std::size_t bytes)
      : pool_(pool), at_(pool.take(bytes)) {}
  ~PoolMemory() override { pool_.give_back(); }
  void* at() override { return at_; }
  void put(void const* from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(at_, from, bytes);
  }
  void get(void* to, std::size_t bytes) const override {
    if (bytes > 0) std::memcpy(to, at_, bytes);
  }

 private:
  Pool& pool_;
  char* const at_;
};

/// All members on one node; comm processes sum where the members' memory is.
PlaneUnderTest mpi_in_place() {
  static Pool pool;
  auto entry = plane("mpi", PlaneUnderTest::Hosting::threads);
  entry.name += ", one node";
  entry.make = [host = comm_host_of_node(0)](int, PlaneOptions options) {
    options.comm_host = host;
    options.shared = {pool.region()};
    return make_plane("mpi", options);
  };
  entry.memory = [](std::size_t bytes) {
    return std::make_unique<PoolMemory>(pool, bytes);
  };
  return entry;
}

/// Members on two nodes in turn; what they sum is copied.
PlaneUnderTest mpi_copied() {
  auto entry = plane("mpi", PlaneUnderTest::Hosting::processes);
  entry.name += ", two nodes";
  entry.make = [hosts = std::array{comm_host_of_node(0), comm_host_of_node(1)}](
                   int member, PlaneOptions options) {
    options.comm_host = hosts[std::size_t(member % 2)];
    return make_plane("mpi", options);
  };
  return entry;
}

/// Members on nodes in turn: `members_per_node` of them share memory.
PlaneUnderTest tcp(std::string name, PlaneUnderTest::Hosting hosting,
                   int members_per_node) {
  auto entry = plane("tcp", hosting);
  entry.name += ", " + name;
  entry.has_all_operations = true;
  entry.tells_losses = true;
  entry.make = [=](int member, PlaneOptions options) {
    options.secret = "of the test";
    options.pairs = true;
    options.node = std::to_string(member / members_per_node);
    return make_plane("tcp", options);
  };
  return entry;
}

}  // namespace

std::vector<PlaneUnderTest> planes_under_test() {
  using Hosting = PlaneUnderTest::Hosting;
  std::vector<PlaneUnderTest> planes;
  auto self = plane("self", Hosting::threads);
  self.members_max = 1;
  self.has_all_operations = true;
  planes.push_back(self);
  for (auto hosting : {Hosting::threads, Hosting::processes}) {
    planes.push_back(tcp("a node each", hosting, 1));
    planes.push_back(tcp("one node", hosting, 8));
    planes.push_back(tcp("two on a node", hosting, 2));
  }
  planes.push_back(on_a_device("tcp"));
  if (planes_available().find("mpi") != std::string::npos) {
    planes.push_back(mpi_in_place());
    planes.push_back(mpi_copied());
  }
  return planes;
}

}  // namespace gleaner::comm::test

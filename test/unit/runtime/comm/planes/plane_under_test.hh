// SPDX-License-Identifier: Apache-2.0
/// What must be known of a data plane to test it?
///
/// plane_test.cc runs every plane of planes_under_test() through the same
/// cases.  A new plane is one more entry in planes_here.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/comm/comm.hh"

namespace gleaner::comm::test {

/// Memory as the plane wants it: of the host, shared, of a device.
class TestMemory {
 public:
  virtual ~TestMemory() = default;
  virtual void* at() = 0;
  virtual void put(void const* from, std::size_t bytes) = 0;
  virtual void get(void* to, std::size_t bytes) const = 0;
};

std::unique_ptr<TestMemory> host_memory(std::size_t bytes);

struct PlaneUnderTest {
  /// Where a member lives.  Threads let the sanitizers see all members at
  /// once; only a process can be killed.
  enum class Hosting { threads, processes };

  std::string name;  ///< for messages: "tcp, processes"
  Hosting hosting = Hosting::threads;
  int members_max = 8;
  bool has_all_operations = false;  ///< more than allreduce()
  bool tells_losses = false;        ///< a loss ends others' sums without stop()
  bool is_stand_in = false;         ///< it never leaves the test's process

  /// Called first in each member, which is the only one of its process where
  /// hosting is processes.
  std::function<void(int member)> enter = [](int) {};

  /// Makes a plane of this kind, in the member.
  std::function<Result<std::unique_ptr<Plane>>(int member, PlaneOptions const&)>
      make;

  /// Memory for one buffer of an allreduce, in the member; at least one byte.
  std::function<std::unique_ptr<TestMemory>(std::size_t bytes)> memory =
      host_memory;
};

/// The planes that this build has and this machine can run.
std::vector<PlaneUnderTest> planes_under_test();

}  // namespace gleaner::comm::test

// SPDX-License-Identifier: Apache-2.0
/// A device of this processor: memory that only its own calls reach.
///
/// Code that reads or writes it directly, as if it were the host's, gets a
/// SIGSEGV, as with a GPU's.  So everything around a GPU is tested where there
/// is none.  With Wall::no what plays the program on the GPU may be one of the
/// host's: PyTorch's kernels, say.
#pragma once

#include <map>
#include <mutex>

#include "runtime/comm/device.hh"

namespace gleaner::comm::test {

enum class Wall { yes, no };

class WalledDevice final : public Device {
 public:
  explicit WalledDevice(Wall wall = Wall::yes) : wall_(wall) {}

  int index() const override { return 0; }
  Result<void*> allocate(std::size_t bytes) override;
  void release(void* data, std::size_t bytes) override;
  void* allocate_host(std::size_t bytes) override;
  void release_host(void* data, std::size_t bytes) override;
  Result<void> zero(void* data, std::size_t bytes) override;
  Result<void> copy(void* to, void const* from, std::size_t bytes) override;
  Result<void> to_host(void* to, void const* from, std::size_t bytes) override;
  Result<void> from_host(void* to, void const* from,
                         std::size_t bytes) override;
  Result<void> scale(Element type, void* out, void const* in, std::size_t n,
                     double factor) override;
  Result<void> join(void* stream) override;
  Result<void> mark(void* stream) override;
  Result<void> wait_for_mark() override;

  int marks() const { return marks_; }
  int joins() const { return joins_; }

  /// Another one is not the program's: join() and mark() then fail.
  void expect_stream(void* stream) { expected_ = stream; }

 private:
  /// Where the processor may read and write what is at `data` for the others.
  char* behind(void const* data, std::size_t bytes);

  Wall const wall_;
  struct Block {
    std::size_t bytes = 0;
    char* behind = nullptr;
  };
  std::mutex mutex_;
  std::map<char const*, Block> blocks_;  ///< by the address that is given out
  Result<void> check(void* stream) const;

  int marks_ = 0, joins_ = 0;
  void* expected_ = nullptr;  ///< NULL: any
};

}  // namespace gleaner::comm::test

// SPDX-License-Identifier: Apache-2.0
/// Memory that the processor does not reach: a GPU's.
///
/// Where a Device is NULL, memory is the host's and needs none of this.  Every
/// call but mark() returns when its work is done; calls may come from any
/// thread.  They fail with io when the device does: then nothing on it can be
/// relied on, and its member is lost.
#pragma once

#include <cstddef>

#include "core/result.hh"
#include "runtime/comm/element.hh"

namespace gleaner::comm {

class Device {
 public:
  virtual ~Device() = default;

  /// The number the program knows it by.
  virtual int index() const = 0;

  /// Zeroed.
  virtual Result<void*> allocate(std::size_t bytes) = 0;
  virtual void release(void* data, std::size_t bytes) = 0;

  /// Memory of the host that is moved to and from the device fastest; NULL
  /// when there is none.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void* data, std::size_t bytes) = 0;

  virtual Result<void> zero(void* data, std::size_t bytes) = 0;
  virtual Result<void> copy(void* to, void const* from, std::size_t bytes) = 0;
  virtual Result<void> to_host(void* to, void const* from,
                               std::size_t bytes) = 0;
  virtual Result<void> from_host(void* to, void const* from,
                                 std::size_t bytes) = 0;

  /// As gleaner::scale().
  virtual Result<void> scale(Element type, void* out, void const* in,
                             std::size_t n, double factor) = 0;

  /// Wait for what the program has queued on its stream so far.
  virtual Result<void> join(void* stream) = 0;

  /// Note what is queued on that stream so far; wait for what was noted last of
  /// each stream.
  virtual Result<void> mark(void* stream) = 0;
  virtual Result<void> wait_for_mark() = 0;
};

}  // namespace gleaner::comm

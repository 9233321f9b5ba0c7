// SPDX-License-Identifier: Apache-2.0
/// In a file of its own: where the compiler sees the bodies of some of these
/// operators and not of others, it takes malloc() and free() for a mismatch.
#include "test/unit/plugins/failing_memory.hh"

#include <cstddef>
#include <cstdlib>
#include <new>

thread_local int allocations_left = -1;
thread_local bool allocation_failed = false;

void* operator new(std::size_t size) {
  if (allocations_left == 0) {
    allocation_failed = true;
    throw std::bad_alloc();
  }
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

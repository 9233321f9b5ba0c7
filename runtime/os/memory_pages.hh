// SPDX-License-Identifier: Apache-2.0
/// Is this memory there already, or only promised by the system?
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace gleaner::os {

/// Let the system provide the pages of this memory now, without changing what
/// they hold: to touch 40 MiB for the first time takes 10 ms and more, which
/// a training would wait for at a switch.  On systems that cannot (Linux
/// before 5.14) nothing happens.
inline void provide_pages(void* data, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto const first = reinterpret_cast<std::uintptr_t>(data) / page * page;
  auto const last = reinterpret_cast<std::uintptr_t>(data) + bytes;
  if (bytes > 0)
    (void)madvise(reinterpret_cast<void*>(first), last - first,
                  MADV_POPULATE_WRITE);
#else
  (void)data, (void)bytes;
#endif
}

}  // namespace gleaner::os

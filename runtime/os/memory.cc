// SPDX-License-Identifier: Apache-2.0
#include "runtime/os/memory.hh"

#include <sys/mman.h>
#include <unistd.h>

namespace gleaner::os {

Memory::Memory(std::size_t bytes, Sharing sharing)
    : bytes_(bytes), data_(MAP_FAILED) {
  int const shared =
      sharing == Sharing::none ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  if (sharing == Sharing::by_descriptor) {
    file_ = Fd(::memfd_create("gleaner", MFD_CLOEXEC));
    if (!file_ || ::ftruncate(file_.get(), off_t(bytes)) != 0) return;
  }
  data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, shared | MAP_NORESERVE,
                 file_.get(), 0);
}

Memory::~Memory() {
  if (good()) ::munmap(data_, bytes_);
}

bool Memory::good() const { return data_ != MAP_FAILED; }

}  // namespace gleaner::os

// SPDX-License-Identifier: Apache-2.0
#include "planes/walled_device.hh"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace gleaner::comm::test {

Result<void*> WalledDevice::allocate(std::size_t bytes) {
  bytes = bytes > 0 ? bytes : 1;
  int const file = memfd_create("walled", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, off_t(bytes)) != 0) std::abort();
  int const reach = wall_ == Wall::yes ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* const outside = mmap(nullptr, bytes, reach, MAP_SHARED, file, 0);
  void* const inside =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (outside == MAP_FAILED || inside == MAP_FAILED)
    return Error{Errc::io, "no memory"};
  std::lock_guard lock(mutex_);
  blocks_[static_cast<char*>(outside)] = {bytes, static_cast<char*>(inside)};
  return outside;
}

void WalledDevice::release(void* data, std::size_t) {
  std::lock_guard lock(mutex_);
  auto it = blocks_.find(static_cast<char*>(data));
  if (it == blocks_.end()) std::abort();
  munmap(it->second.behind, it->second.bytes);
  munmap(data, it->second.bytes);
  blocks_.erase(it);
}

char* WalledDevice::behind(void const* data, std::size_t bytes) {
  if (wall_ == Wall::no) return static_cast<char*>(const_cast<void*>(data));
  std::lock_guard lock(mutex_);
  auto const* at = static_cast<char const*>(data);
  auto it = blocks_.upper_bound(at);
  if (it == blocks_.begin()) std::abort();  // it is no memory of this device
  --it;
  auto const offset = std::size_t(at - it->first);
  if (offset + bytes > it->second.bytes) std::abort();
  return it->second.behind + offset;
}

void* WalledDevice::allocate_host(std::size_t bytes) {
  return std::malloc(bytes);
}
void WalledDevice::release_host(void* data, std::size_t) { std::free(data); }

Result<void> WalledDevice::zero(void* data, std::size_t bytes) {
  if (bytes > 0) std::memset(behind(data, bytes), 0, bytes);
  return {};
}

Result<void> WalledDevice::copy(void* to, void const* from, std::size_t bytes) {
  if (bytes > 0) std::memmove(behind(to, bytes), behind(from, bytes), bytes);
  return {};
}

Result<void> WalledDevice::to_host(void* to, void const* from,
                                   std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, behind(from, bytes), bytes);
  return {};
}

Result<void> WalledDevice::from_host(void* to, void const* from,
                                     std::size_t bytes) {
  if (bytes > 0) std::memcpy(behind(to, bytes), from, bytes);
  return {};
}

Result<void> WalledDevice::scale(Element type, void* out, void const* in,
                                 std::size_t n, double factor) {
  auto const bytes = n * size_of(type);
  if (n > 0)
    comm::scale(type, behind(out, bytes), behind(in, bytes), n, factor);
  return {};
}

Result<void> WalledDevice::check(void* stream) const {
  if (!expected_ || stream == expected_) return {};
  return Error{Errc::io, "the program works on another stream"};
}

Result<void> WalledDevice::join(void* stream) {
  ++joins_;
  return check(stream);
}

Result<void> WalledDevice::mark(void* stream) {
  ++marks_;
  return check(stream);
}

Result<void> WalledDevice::wait_for_mark() { return {}; }

}  // namespace gleaner::comm::test

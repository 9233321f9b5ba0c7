// SPDX-License-Identifier: Apache-2.0
/// How do the processes of a measurement begin together and tell their times?
///
/// They map one file, which begins as zeros.  Waiting sleeps in the kernel:
/// there are more processes than cores.
#pragma once

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace gleaner::bench {

class Meeting {
 public:
  static constexpr int members_max = 16;

  Meeting(std::string const& path, int members) : members_(members) {
    int const fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ::ftruncate(fd, sizeof(Shared)) != 0)
      throw std::runtime_error("cannot write " + path);
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                          MAP_SHARED, fd, 0);
    ::close(fd);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + path);
    shared_ = static_cast<Shared*>(memory);
  }

  /// Wait for all members.
  void wait() {
    auto const turn = shared_->turn.load();
    if (shared_->here.fetch_add(1) + 1 == std::uint32_t(members_)) {
      shared_->here = 0;
      shared_->turn.fetch_add(1);
      futex(FUTEX_WAKE, INT_MAX);
      return;
    }
    while (shared_->turn.load() == turn) futex(FUTEX_WAIT, turn);
  }

  /// From the first begin to the last end, when everybody has said his.
  double span_s(int rank, double begin_s, double end_s) {
    shared_->begin_s[rank] = begin_s;
    shared_->end_s[rank] = end_s;
    wait();
    auto const span =
        *std::max_element(shared_->end_s, shared_->end_s + members_) -
        *std::min_element(shared_->begin_s, shared_->begin_s + members_);
    wait();
    return span;
  }

 private:
  struct Shared {
    std::atomic<std::uint32_t> here, turn;
    double begin_s[members_max], end_s[members_max];
  };

  void futex(int operation, std::uint32_t value) {
    ::syscall(SYS_futex, &shared_->turn, operation, value, nullptr, nullptr, 0);
  }

  int const members_;
  Shared* shared_;
};

}  // namespace gleaner::bench

// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/comm_gloo_device.hh"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "runtime/os/signals.hh"

namespace gleaner {

Result<std::shared_ptr<GlooDevice>> GlooDevice::on(std::string const& address) {
  // A forked process has no threads of its parent's devices.
  using Key = std::pair<pid_t, std::string>;
  static auto* const mutex = new std::mutex;
  static auto* const devices = new std::map<Key, std::shared_ptr<GlooDevice>>;
  std::lock_guard lock(*mutex);
  auto& device = (*devices)[{getpid(), address}];
  if (!device) {
    auto made = make(address);
    if (!made) return made.error();
    device = *made;
  }
  return device;
}

Result<std::shared_ptr<GlooDevice>> GlooDevice::make(
    std::string const& address) {
  std::shared_ptr<GlooDevice> made(new GlooDevice);
  made->event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
  if (made->event_ < 0)
    return Error{Errc::io, std::string("eventfd: ") + std::strerror(errno)};
  try {
    BlockAllSignals for_its_thread;
    gloo::transport::tcp::attr attributes(address.c_str());
    made->device_ = gloo::transport::tcp::CreateDevice(attributes);
    dynamic_cast<gloo::transport::tcp::Device&>(*made->device_)
        .registerDescriptor(made->event_, EPOLLIN, &made->ticker_);
  } catch (std::exception const& why) {
    return Error{Errc::io, "cannot use the interface with address '" + address +
                               "': " + why.what()};
  }
  return made;
}

GlooDevice::~GlooDevice() {
  device_.reset();  // joins the thread that looks at event_
  if (event_ >= 0) close(event_);
}

/// Often enough, but no busy loop: a member may be slow to connect, and the
/// core belongs to the training.
void GlooDevice::Ticker::handleEvents(int) {
  std::this_thread::sleep_for(std::chrono::microseconds(50));
}

/// The event counts those who want fast ticks.
void GlooDevice::fast(int change) {
  std::uint64_t one = 1;
  auto const done = change > 0 ? write(event_, &one, sizeof one)
                               : read(event_, &one, sizeof one);
  assert(done == sizeof one);
  (void)done;
}

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/node_memory.hh"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include "runtime/os/descriptors.hh"
#include "runtime/os/memory_pages.hh"

namespace gleaner::comm::tcp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t header_bytes = 4096;

/// Slots and results of a turn and the next one stay in the cache.
constexpr std::size_t all_slots_bytes = 2 << 20;
constexpr std::size_t slot_bytes_max = 512 << 10;
constexpr std::size_t slot_bytes_min = 64 << 10;

std::size_t slot_bytes_for(int seats) {
  std::size_t bytes = slot_bytes_max;
  while (bytes > slot_bytes_min && bytes * std::size_t(seats) > all_slots_bytes)
    bytes /= 2;
  return bytes;
}

bool more_than_processors(int seats) {
  cpu_set_t own;
  CPU_ZERO(&own);
  return ::sched_getaffinity(0, sizeof own, &own) == 0 &&
         CPU_COUNT(&own) < seats;
}

void pause() {
#if defined __x86_64__
  __builtin_ia32_pause();
#elif defined __aarch64__
  asm volatile("yield");
#endif
}

Error failed(char const* what) {
  return {Errc::io, std::string("data plane: ") + what + " (" +
                        std::strerror(errno) + ")"};
}

}  // namespace

struct NodeMemory::Shared {
  alignas(64) std::atomic<std::uint32_t> arrived;
  alignas(64) std::atomic<std::uint32_t> turn;
  alignas(64) std::atomic<std::uint32_t> sleepers;
  alignas(64) std::atomic<std::uint32_t> broken;
};

int parent_seat(int seat) { return seat == 0 ? -1 : (seat - 1) / 2; }

std::vector<int> child_seats(int seat, int seats) {
  std::vector<int> found;
  for (int child = 2 * seat + 1; child <= 2 * seat + 2 && child < seats;
       ++child)
    found.push_back(child);
  return found;
}

NodeMemory::NodeMemory(int seat, int seats, StopSignal const& stop)
    : seat_(seat),
      seats_(seats),
      slot_bytes_(slot_bytes_for(seats)),
      crowded_(more_than_processors(seats)),
      stop_(stop) {}

NodeMemory::~NodeMemory() {
  if (data_) ::munmap(data_, bytes());
}

std::size_t NodeMemory::bytes() const {
  return header_bytes + 2 * std::size_t(seats_ + 1) * slot_bytes_;
}

char* NodeMemory::slot(std::uint64_t turn, int seat) const {
  auto const index = turn % 2 * std::size_t(seats_ + 1) + std::size_t(seat);
  return data_ + header_bytes + index * slot_bytes_;
}

char* NodeMemory::result(std::uint64_t turn) const {
  return slot(turn, seats_);
}

Result<std::unique_ptr<NodeMemory>> NodeMemory::join(
    int seat, int seats, os::Fd parent, std::vector<os::Fd> children,
    StopSignal const& stop, Clock::time_point end) {
  static_assert(sizeof(Shared) <= header_bytes);
  std::unique_ptr<NodeMemory> joined(new NodeMemory(seat, seats, stop));
  joined->parent_ = std::move(parent);
  joined->children_ = std::move(children);
  auto had = seat == 0 ? joined->make() : joined->take(end);
  if (had) had = joined->map();
  if (had) had = joined->hand_down();
  if (!had) return had.error();
  return joined;
}

Result<void> NodeMemory::make() {
  memory_ =
      os::Fd(::memfd_create("gleaner-node", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory_ || ::ftruncate(memory_.get(), off_t(bytes())) != 0 ||
      ::fcntl(memory_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return failed("no memory to share within the node");
  for (auto* fd : {&bells_[0], &bells_[1], &broken_})
    if (*fd = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); !*fd)
      return failed("no descriptor");
  return {};
}

Result<void> NodeMemory::take(Clock::time_point end) {
  for (auto* fd : {&memory_, &bells_[0], &bells_[1], &broken_}) {
    while (!*fd) {
      auto const left =
          std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      pollfd polled[] = {stop_.polled(), {parent_.get(), POLLIN, 0}};
      auto const n = ::poll(polled, 2, std::max(0, int(left.count())));
      if (stop_.raised()) return StopSignal::error();
      if (n == 0)
        return Error{Errc::timed_out,
                     "data plane: the memory of this node did not come"};
      char byte = 0;
      auto const come = polled[1].revents
                            ? os::receive_with_fd(parent_.get(), &byte, 1, fd)
                            : -1;
      if (come == 0 || (come == 1 && !*fd)) return gone();
    }
  }
  return {};
}

Result<void> NodeMemory::hand_down() {
  for (auto const& child : children_)
    for (auto const* fd : {&memory_, &bells_[0], &bells_[1], &broken_})
      if (os::send_with_fd(child.get(), "m", 1, fd->get()) != 1) return gone();
  return {};
}

Result<void> NodeMemory::map() {
  auto* data = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED,
                      memory_.get(), 0);
  if (data == MAP_FAILED) return failed("no memory to share within the node");
  data_ = static_cast<char*>(data);
  if (seat_ == 0) os::provide_pages(data_, bytes());
  return {};
}

Error NodeMemory::gone() const {
  return {Errc::unavailable, "data plane: a member on this node is gone"};
}

void NodeMemory::break_up() {
  reinterpret_cast<Shared*>(data_)->broken = 1;
  std::uint64_t const one = 1;
  (void)!::write(broken_.get(), &one, sizeof one);
}

Result<void> NodeMemory::meet() {
  auto& shared = *reinterpret_cast<Shared*>(data_);
  auto const turn = shared.turn.load();
  auto const bell = bells_[turn % 2].get();
  if (shared.arrived.fetch_add(1) + 1 == std::uint32_t(seats_)) {
    shared.arrived = 0;
    // Nobody sleeps at the bell of the turn before any more.
    std::uint64_t count;
    (void)!::read(bells_[(turn + 1) % 2].get(), &count, sizeof count);
    shared.turn = turn + 1;
    std::uint64_t const one = 1;
    if (shared.sleepers > 0) (void)!::write(bell, &one, sizeof one);
    return {};
  }
  return spin(turn) ? Result<void>() : sleep(turn);
}

/// Whether the turn came.
bool NodeMemory::spin(std::uint32_t turn) const {
  auto const& shared = *reinterpret_cast<Shared const*>(data_);
  constexpr std::chrono::microseconds limit{50};
  constexpr int looks = 64;
  auto const end = Clock::now() + limit;
  do {
    for (int i = 0; i < (crowded_ ? 1 : looks); ++i) {
      if (shared.turn != turn) return true;
      if (shared.broken) return false;
      pause();
    }
    // The one that is waited for may need this processor.
    std::this_thread::yield();
  } while (Clock::now() < end);
  return shared.turn != turn;
}

Result<void> NodeMemory::sleep(std::uint32_t turn) {
  auto& shared = *reinterpret_cast<Shared*>(data_);
  struct Sleeper {
    explicit Sleeper(Shared& shared) : shared(shared) { ++shared.sleepers; }
    ~Sleeper() { --shared.sleepers; }
    Shared& shared;
  } const sleeper(shared);
  std::vector<pollfd> polled{stop_.polled(),
                             {broken_.get(), POLLIN, 0},
                             {bells_[turn % 2].get(), POLLIN, 0}};
  auto const links = polled.size();
  if (parent_) polled.push_back({parent_.get(), POLLIN, 0});
  for (auto const& child : children_)
    polled.push_back({child.get(), POLLIN, 0});
  for (;;) {
    if (shared.turn != turn) return {};
    if (stop_.raised()) return StopSignal::error();
    if (shared.broken) return gone();
    for (auto i = links; i < polled.size(); ++i)
      if (polled[i].revents) {
        // Nothing is said there after the beginning: it is the end.
        break_up();
        return gone();
      }
    if (::poll(polled.data(), nfds_t(polled.size()), -1) < 0 && errno != EINTR)
      return failed("cannot wait");
  }
}

}  // namespace gleaner::comm::tcp

// SPDX-License-Identifier: Apache-2.0
/// The data plane over Open MPI, in a process of its own.
///
/// MPI does not survive the loss of a rank, so no MPI runs in the member.  The
/// comm host of the node starts a comm process for it, fresh for each
/// generation, which maps the member's memory and calls MPI_Allreduce() on it.
/// A plane is stopped by killing that process.  Its end, seen through a
/// process descriptor, is also the proof that nothing writes to the member's
/// memory any more: the kernel has taken down its address space and closed its
/// files by then.
///
/// The processes find each other through PMIx, served by the comm hosts; what
/// these have to exchange goes through the members and their coordinator.
#include "runtime/comm/comm_mpi.hh"

#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "proto/comm_messages.hh"
#include "runtime/comm/comm_host_link.hh"
#include "runtime/comm/comm_request.hh"
#include "runtime/os/descriptors.hh"
#include "runtime/os/memory.hh"

namespace gleaner::comm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A killed process ends in a moment, unless the kernel itself is stuck.
constexpr milliseconds death_wait{10000};
/// For the comm host to say why a process ended.
constexpr milliseconds reason_wait{2000};
/// Memory that the comm process cannot map is copied, in parts of this size.
constexpr std::size_t staging_bytes = 16u << 20;

Error system_error(std::string const& what) {
  return {Errc::io, what + " (" + std::strerror(errno) + ")"};
}
Error stopped() { return {Errc::unavailable, "data plane stopped"}; }

class MpiPlane final : public Plane {
 public:
  explicit MpiPlane(PlaneOptions options) : options_(std::move(options)) {}
  ~MpiPlane() override { stop(); }

  Result<void> connect(Exchange const& exchange, double timeout_s) override;
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type) override;
  void stop() override;

 private:
  using Time = Clock::time_point;
  Result<void> open(os::Fd* theirs);
  Result<void> send_regions();
  Result<void> start_process(Exchange const& exchange, os::Fd theirs, Time end);
  Result<void> wait_until_ready(Exchange const& exchange, Time end);
  Result<void> pass_on(msg::Fence const& fence, Exchange const& exchange);
  Result<void> take_ranks();
  Error why_it_ended();

  Result<void> map(std::uint32_t region, std::size_t bytes, int descriptor);
  Result<void> stage();
  std::optional<comm::Place> place_of(void const* data,
                                      std::size_t bytes) const;
  Result<void> sum_staged(char const* local, char* sum, std::size_t n,
                          Element type);
  Result<void> sum_mapped(comm::Place local, comm::Place sum, std::size_t n,
                          Element type);
  Error failed();

  PlaneOptions const options_;
  std::optional<HostLink> host_;
  os::Fd process_;  ///< our end of the comm process's standard input
  std::unique_ptr<os::Memory> staged_local_, staged_sum_;

  std::mutex mutex_;  ///< for what follows, and to set the links above
  bool stopped_ = false;
  os::Fd life_;  ///< the comm process itself
};

// --- connect ---------------------------------------------------------------

Result<void> MpiPlane::open(os::Fd* theirs) {
  auto host = HostLink::open(options_.comm_host);
  if (!host) return host.error();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("cannot make a socket for the comm process");
  *theirs = os::Fd(ends[1]);
  std::lock_guard lock(mutex_);
  process_ = os::Fd(ends[0]);
  if (stopped_) return stopped();
  host_.emplace(std::move(*host));
  return {};
}

Result<void> MpiPlane::map(std::uint32_t region, std::size_t bytes,
                           int descriptor) {
  comm::Request request;
  request.verb = comm::Verb::map;
  request.sum.region = region;
  request.n = bytes;
  if (os::send_with_fd(process_.get(), &request, sizeof request, descriptor) !=
      ssize_t(sizeof request))
    return failed();
  return {};
}

/// They wait in the socket until the process reads them.
Result<void> MpiPlane::send_regions() {
  for (std::size_t i = 0; i < options_.shared.size(); ++i) {
    auto const& region = options_.shared[i];
    auto mapped = map(std::uint32_t(i), region.bytes, region.descriptor);
    if (!mapped) return mapped;
  }
  comm::Request request;
  request.verb = comm::Verb::connect;
  if (os::send_with_fd(process_.get(), &request, sizeof request, -1) !=
      ssize_t(sizeof request))
    return failed();
  return {};
}

std::string random_word() {
  std::uint64_t number = 0;
  [[maybe_unused]] auto const n = ::getrandom(&number, sizeof number, 0);
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(number));
  return text.data();
}

/// Which comm host serves which rank, and what the job is called.
Result<void> MpiPlane::start_process(Exchange const& exchange, os::Fd theirs,
                                     Time end) {
  if (auto given = host_->give(theirs.get()); !given) return given;
  auto message = host_->wait(end);
  if (!message) return message.error();
  auto const* hello = std::get_if<msg::CommHostHello>(&*message);
  if (!hello)
    return Error{Errc::invalid_argument, "the comm host did not say its name"};
  auto contacts = exchange("node", hello->node + ' ' + random_word());
  if (!contacts) return contacts.error();
  msg::CommStart start;
  start.rank = std::uint32_t(options_.rank);
  start.address = options_.address;
  start.cpus = options_.cpus;
  for (auto const& contact : *contacts) {
    auto const space = contact.find(' ');
    start.nodes.push_back(contact.substr(0, space));
    if (start.job.empty() && space != std::string::npos)
      start.job = "gleaner-" + contact.substr(space + 1);
  }
  if (int(start.nodes.size()) != options_.size || start.job.empty())
    return Error{Errc::invalid_argument,
                 "contact data of " + std::to_string(contacts->size()) +
                     " members cannot be read, expected " +
                     std::to_string(options_.size)};
  return host_->send(start);
}

Result<void> MpiPlane::pass_on(msg::Fence const& fence,
                               Exchange const& exchange) {
  auto all = exchange("fence" + std::to_string(fence.number), fence.blob);
  if (!all) return all.error();
  return host_->send(msg::FenceDone{fence.number, std::move(*all)});
}

Result<void> MpiPlane::take_ranks() {
  comm::Answer answer;
  os::Fd life;
  auto const n =
      os::receive_with_fd(process_.get(), &answer, sizeof answer, &life);
  if (n <= 0) return why_it_ended();
  if (n != ssize_t(sizeof answer) || answer.version != comm::version)
    return Error{Errc::invalid_argument,
                 "gleaner-comm-mpi is of another version than this program's "
                 "libgleaner [install one version of both]"};
  if (*answer.failure)
    return Error{Errc::unavailable,
                 "comm process: " + std::string(answer.failure)};
  // If Open MPI does not recognise its launcher, each process silently becomes
  // a job of its own.
  if (answer.size != options_.size || answer.rank != options_.rank || !life)
    return Error{Errc::unavailable, "Open MPI made this member rank " +
                                        std::to_string(answer.rank) + " of " +
                                        std::to_string(answer.size) +
                                        ", expected " +
                                        std::to_string(options_.rank) + " of " +
                                        std::to_string(options_.size) +
                                        " [unset OMPI_MCA_ess, OMPI_MCA_pmix]"};
  std::lock_guard lock(mutex_);
  life_ = std::move(life);
  if (stopped_) return stopped();
  return {};
}

/// The comm process is gone; its host may know more.
Error MpiPlane::why_it_ended() {
  auto const end = Clock::now() + reason_wait;
  for (;;) {
    auto message = host_->wait(end);
    if (!message) break;
    if (auto const* ended = std::get_if<msg::CommEnded>(&*message))
      return {Errc::unavailable, ended->why};
  }
  return failed();
}

Result<void> MpiPlane::wait_until_ready(Exchange const& exchange, Time end) {
  for (;;) {
    std::array<pollfd, 2> fds{
        {{host_->socket(), POLLIN, 0}, {process_.get(), POLLIN, 0}}};
    auto const left =
        std::chrono::duration_cast<milliseconds>(end - Clock::now());
    if (left.count() <= 0)
      return Error{Errc::timed_out, "Open MPI did not connect in time"};
    int const n = ::poll(fds.data(), fds.size(), int(left.count()) + 1);
    if (n < 0 && errno != EINTR) return system_error("cannot wait");
    if (n <= 0) continue;
    if (fds[1].revents) return take_ranks();
    auto message = host_->take();
    while (message && *message) {
      if (auto const* ended = std::get_if<msg::CommEnded>(&**message))
        return Error{Errc::unavailable, ended->why};
      if (auto const* fence = std::get_if<msg::Fence>(&**message))
        if (auto passed = pass_on(*fence, exchange); !passed) return passed;
      message = host_->take();
    }
    if (!message) return message.error();
  }
}

Result<void> MpiPlane::connect(Exchange const& exchange, double timeout_s) {
  auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_s));
  os::Fd theirs;
  if (auto opened = open(&theirs); !opened) return opened;
  if (auto sent = send_regions(); !sent) return sent;
  auto started = start_process(exchange, std::move(theirs), end);
  if (!started) return started;
  return wait_until_ready(exchange, end);
}

// --- allreduce -------------------------------------------------------------

std::optional<comm::Place> MpiPlane::place_of(void const* data,
                                              std::size_t bytes) const {
  auto const* at = static_cast<char const*>(data);
  for (std::size_t i = 0; i < options_.shared.size(); ++i) {
    auto const& region = options_.shared[i];
    auto const* begin = static_cast<char const*>(region.data);
    if (at >= begin && at + bytes <= begin + region.bytes)
      return comm::Place{std::uint32_t(i), std::uint64_t(at - begin)};
  }
  return std::nullopt;
}

Result<void> MpiPlane::stage() {
  if (staged_sum_) return {};
  staged_local_ =
      std::make_unique<os::Memory>(staging_bytes, os::Sharing::by_descriptor);
  staged_sum_ =
      std::make_unique<os::Memory>(staging_bytes, os::Sharing::by_descriptor);
  if (!staged_local_->good() || !staged_sum_->good())
    return system_error("no memory to share with the comm process");
  auto const next = std::uint32_t(options_.shared.size());
  auto mapped = map(next, staging_bytes, staged_local_->descriptor());
  if (!mapped) return mapped;
  return map(next + 1, staging_bytes, staged_sum_->descriptor());
}

Result<void> MpiPlane::sum_staged(char const* local, char* sum, std::size_t n,
                                  Element type) {
  if (auto staged = stage(); !staged) return staged;
  auto const region = std::uint32_t(options_.shared.size());
  auto const part_max = staging_bytes / size_of(type);
  for (std::size_t done = 0; done < n;) {
    auto const part = std::min(n - done, part_max);
    auto const at = done * size_of(type), bytes = part * size_of(type);
    std::memcpy(staged_local_->data(), local + at, bytes);
    auto summed = sum_mapped({region, 0}, {region + 1, 0}, part, type);
    if (!summed) return summed;
    std::memcpy(sum + at, staged_sum_->data(), bytes);
    done += part;
  }
  return {};
}

Result<void> MpiPlane::sum_mapped(comm::Place local, comm::Place sum,
                                  std::size_t n, Element type) {
  comm::Request request;
  request.verb = comm::Verb::sum;
  request.local = local;
  request.sum = sum;
  request.n = n;
  request.element = std::uint32_t(type);
  comm::Answer answer;
  os::Fd none;
  auto const socket = process_.get();
  if (os::send_with_fd(socket, &request, sizeof request, -1) !=
          ssize_t(sizeof request) ||
      os::receive_with_fd(socket, &answer, sizeof answer, &none) !=
          ssize_t(sizeof answer))
    return failed();
  if (!*answer.failure) return {};
  // It is alive, but MPI is of no use any more.
  stop();
  failed();
  return Error{Errc::unavailable,
               "data plane failed: " + std::string(answer.failure)};
}

Result<void> MpiPlane::allreduce(void const* local, void* sum, std::size_t n,
                                 Element type) {
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return stopped();
  }
  if (n == 0) return {};
  auto const bytes = n * size_of(type);
  auto const from = place_of(local, bytes), to = place_of(sum, bytes);
  if (from && to) return sum_mapped(*from, *to, n, type);
  return sum_staged(static_cast<char const*>(local), static_cast<char*>(sum), n,
                    type);
}

/// Why, once nothing writes to our memory any more.
Error MpiPlane::failed() {
  bool was_stopped = false;
  int life = -1;
  {
    std::lock_guard lock(mutex_);
    was_stopped = stopped_;
    life = life_.get();
  }
  // It ends by itself, or stop() has killed it.
  if (life >= 0 && !readable(life, death_wait))
    return {Errc::unavailable,
            "the comm process was killed but does not end (it is stuck in the "
            "kernel)"};
  if (was_stopped) return stopped();
  return {Errc::unavailable, "data plane failed: the comm process is gone"};
}

void MpiPlane::stop() {
  std::lock_guard lock(mutex_);
  if (std::exchange(stopped_, true)) return;
  if (life_) ::syscall(SYS_pidfd_send_signal, life_.get(), SIGKILL, nullptr, 0);
  // Wakes the waiting threads; the comm host kills and reaps the process.
  if (process_) ::shutdown(process_.get(), SHUT_RDWR);
  if (host_) ::shutdown(host_->socket(), SHUT_RDWR);
}

}  // namespace

Result<std::unique_ptr<Plane>> make_mpi_plane(PlaneOptions const& options) {
  if (options.comm_host.empty())
    return Error{Errc::unavailable,
                 "GLEANER_COMM_HOST is not set, so there is no comm host to "
                 "start Open MPI's processes [start the program with gleaner "
                 "run; gleaner-comm-host must be installed on the nodes]"};
  return std::unique_ptr<Plane>(new MpiPlane(options));
}

}  // namespace gleaner::comm

// SPDX-License-Identifier: Apache-2.0
/// gleaner-comm-mpi: sums one member's memory with MPI, for one generation.
///
/// The protocol is in runtime/comm/comm_request.hh.  Between sums it sleeps in
/// recvmsg(); inside one it may spin until the slowest member comes.
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "runtime/comm/comm_request.hh"
#include "runtime/comm/element.hh"
#include "runtime/os/descriptors.hh"

namespace {

using namespace gleaner;

/// MPI counts in int.
constexpr std::uint64_t part_max = 1u << 28;
/// The last descriptor to be closed when the process dies: who sees the end of
/// the connection knows that devices are closed, too.
constexpr int socket_number = 512;

struct Mapping {
  char* data = nullptr;
  std::uint64_t bytes = 0;
};

class CommProcess {
 public:
  explicit CommProcess(int socket) : socket_(socket) {}

  /// Until the plane is gone.  The exit status.
  int serve();

 private:
  bool map(comm::Request const& request, int descriptor);
  void connect();
  void sum(comm::Request const& request);
  char* at(comm::Place place, std::uint64_t bytes) const;
  void answer(comm::Answer const& answer, int descriptor = -1) {
    os::send_with_fd(socket_, &answer, sizeof answer, descriptor);
  }
  void fail(std::string const& why) {
    comm::Answer failure;
    std::snprintf(failure.failure, sizeof failure.failure, "%s", why.c_str());
    answer(failure);
  }

  int const socket_;
  std::map<std::uint32_t, Mapping> regions_;
};

std::string mpi_error(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

/// into[i] = from[i] + into[i], where MPI has no such numbers.
template <comm::Element type>
void add_to(void* from, void* into, int* n, MPI_Datatype*) {
  comm::add(type, into, from, into, std::size_t(*n));
}

struct Addition {
  MPI_Datatype type;
  MPI_Op op;
};

template <comm::Element type>
Addition own_addition() {
  static MPI_Op const op = [] {
    MPI_Op made = MPI_OP_NULL;
    MPI_Op_create(add_to<type>, 1, &made);
    return made;
  }();
  return {MPI_UINT16_T, op};
}

Addition addition_of(comm::Element type) {
  switch (type) {
    case comm::Element::float32:
      return {MPI_FLOAT, MPI_SUM};
    case comm::Element::float64:
      return {MPI_DOUBLE, MPI_SUM};
    case comm::Element::float16:
      return own_addition<comm::Element::float16>();
    case comm::Element::bfloat16:
      return own_addition<comm::Element::bfloat16>();
    case comm::Element::int64:
      return {MPI_INT64_T, MPI_SUM};
  }
  return {MPI_DATATYPE_NULL, MPI_OP_NULL};
}

bool CommProcess::map(comm::Request const& request, int descriptor) {
  auto* data = ::mmap(nullptr, request.n, PROT_READ | PROT_WRITE, MAP_SHARED,
                      descriptor, 0);
  if (data == MAP_FAILED) return false;
  regions_[request.sum.region] = {static_cast<char*>(data), request.n};
  return true;
}

char* CommProcess::at(comm::Place place, std::uint64_t bytes) const {
  auto const found = regions_.find(place.region);
  if (found == regions_.end()) return nullptr;
  auto const& region = found->second;
  if (place.offset > region.bytes || bytes > region.bytes - place.offset)
    return nullptr;
  return region.data + place.offset;
}

/// Connections come about at the first use of each, and small and large sums
/// use different ones: now is the time, not in the first step.
void warm_up() {
  for (int n : {1, 1 << 18}) {
    std::vector<float> from(std::size_t(n), 1.f), to(std::size_t(n), 0.f);
    MPI_Allreduce(from.data(), to.data(), n, MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  }
}

void CommProcess::connect() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  comm::Answer ready;
  MPI_Comm_rank(MPI_COMM_WORLD, &ready.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ready.size);
  warm_up();
  int const self = int(::syscall(SYS_pidfd_open, ::getpid(), 0));
  answer(ready, self);
  if (self >= 0) ::close(self);
}

void CommProcess::sum(comm::Request const& request) {
  auto const type = comm::Element(request.element);
  auto const each = comm::size_of(type);
  auto const addition = addition_of(type);
  auto const* local = at(request.local, request.n * each);
  auto* sum = at(request.sum, request.n * each);
  if (!local || !sum) return fail("the sum is outside of what was mapped");
  for (std::uint64_t done = 0; done < request.n;) {
    auto const part = std::min(request.n - done, part_max);
    auto const code =
        MPI_Allreduce(local + done * each, sum + done * each, int(part),
                      addition.type, addition.op, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS) return fail(mpi_error(code));
    done += part;
  }
  answer({});
}

int CommProcess::serve() {
  for (;;) {
    comm::Request request;
    os::Fd descriptor;
    auto const n =
        os::receive_with_fd(socket_, &request, sizeof request, &descriptor);
    if (n <= 0) return 0;
    if (n != ssize_t(sizeof request) || request.version != comm::version) {
      fail(
          "gleaner-comm-mpi is of another version than libgleaner [install "
          "one version of both]");
      return 2;
    }
    switch (request.verb) {
      case comm::Verb::map:
        if (!map(request, descriptor.get())) {
          fail("cannot map the member's memory");
          return 2;
        }
        break;
      case comm::Verb::connect:
        connect();
        break;
      case comm::Verb::sum:
        sum(request);
        break;
    }
  }
}

}  // namespace

int main() {
  int const socket = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, socket_number);
  int const null = ::open("/dev/null", O_RDONLY);
  if (socket < 0 || null < 0) {
    std::fputs(
        "gleaner-comm-mpi is started by gleaner-comm-host, not by hand; see "
        "gleaner(7)\n",
        stderr);
    return 2;
  }
  ::dup2(null, STDIN_FILENO);
  // Nobody waits for it, and MPI_Finalize() would wait for all others.
  ::_exit(CommProcess(socket).serve());
}

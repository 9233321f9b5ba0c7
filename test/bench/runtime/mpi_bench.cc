// SPDX-License-Identifier: Apache-2.0
/// How long does it take to start and to lose the Open MPI plane's processes?
///
///     mpi_bench MEMBERS REPETITIONS        (top_builddir: the build tree)
///
/// Members are threads, on as many comm hosts as there are members: as on as
/// many nodes, over TCP; with SAME_NODE=1 on one, over shared memory.  Prints
/// medians, in ms: from connect() to the end of a first sum; and from kill -9
/// of a comm process to the end of the survivors' first sum in their next
/// plane.
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "core/clock.hh"
#include "planes/comm_hosts.hh"
#include "runtime/comm/comm.hh"
#include "runtime/os/memory.hh"

using namespace gleaner;

namespace {

constexpr std::size_t bytes_max = 1u << 20;

double now_ms() { return SystemClock().monotonic_s() * 1e3; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Contact data, as the coordinator passes it on.
class Board {
 public:
  explicit Board(std::size_t size) : size_(size) {}
  comm::Exchange of(int rank) {
    return [this, rank](
               std::string const& key,
               std::string const& blob) -> Result<std::vector<std::string>> {
      std::unique_lock lock(mutex_);
      auto& blobs = blobs_[key];
      blobs[rank] = blob;
      changed_.notify_all();
      changed_.wait(lock, [&] { return blobs.size() == size_; });
      std::vector<std::string> all;
      for (auto const& [r, text] : blobs) all.push_back(text);
      return all;
    };
  }

 private:
  std::size_t const size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::map<int, std::string>> blobs_;
};

struct Member {
  os::Memory local{bytes_max, os::Sharing::by_descriptor};
  os::Memory sum{bytes_max, os::Sharing::by_descriptor};
  int node = 0;
};

using Planes = std::vector<std::unique_ptr<comm::Plane>>;

void on_each(std::size_t n, auto call) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < n; ++i) threads.emplace_back([&, i] { call(i); });
  for (auto& thread : threads) thread.join();
}

void sum(Planes& planes, std::vector<Member*> const& members, std::size_t n) {
  on_each(planes.size(), [&](std::size_t i) {
    auto const done =
        planes[i]->allreduce(members[i]->local.data(), members[i]->sum.data(),
                             n, comm::Element::float32);
    if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  });
}

Planes connect(std::vector<Member*> const& members) {
  Planes planes(members.size());
  Board board(members.size());
  on_each(members.size(), [&](std::size_t i) {
    auto& m = *members[i];
    comm::PlaneOptions options{int(i), int(members.size()), "127.0.0.1"};
    options.comm_host = gleaner::comm::test::comm_host_of_node(m.node);
    options.shared = {{m.local.data(), m.local.bytes(), m.local.descriptor()},
                      {m.sum.data(), m.sum.bytes(), m.sum.descriptor()}};
    planes[i] = std::move(*comm::make_plane("mpi", options));
    auto const done = planes[i]->connect(board.of(int(i)), 30);
    if (!done) {
      std::fprintf(stderr, "%s\n", done.error().message.c_str());
      std::exit(1);
    }
  });
  sum(planes, members, 1);
  return planes;
}

/// A comm process of this program's first comm host.
pid_t some_comm_process() {
  std::ifstream hosts("/proc/self/task/" + std::to_string(::getpid()) +
                      "/children");
  pid_t host = 0, process = 0;
  hosts >> host;
  auto const of_host = std::to_string(host);
  std::ifstream children("/proc/" + of_host + "/task/" + of_host + "/children");
  children >> process;
  return process;
}

double time_of_loss(std::vector<Member*> const& all) {
  auto planes = connect(all);
  std::vector<std::thread> inside;
  for (std::size_t i = 0; i < all.size(); ++i)
    inside.emplace_back([&, i] {
      while (planes[i]->allreduce(all[i]->local.data(), all[i]->sum.data(),
                                  1 << 18, comm::Element::float32)) {
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  auto const begun = now_ms();
  ::kill(some_comm_process(), SIGKILL);
  for (auto& plane : planes) plane->stop();
  for (auto& thread : inside) thread.join();
  std::vector<Member*> const survivors(all.begin() + 1, all.end());
  auto next = connect(survivors);
  return now_ms() - begun;
}

}  // namespace

int main(int argc, char** argv) {
  int const size = argc > 1 ? std::atoi(argv[1]) : 2;
  int const times = argc > 2 ? std::atoi(argv[2]) : 20;
  bool const same_node = std::getenv("SAME_NODE") != nullptr;
  std::vector<Member> members(static_cast<std::size_t>(size));
  std::vector<Member*> all;
  for (auto& member : members) {
    member.node = same_node ? 0 : int(all.size());
    gleaner::comm::test::comm_host_of_node(member.node);
    all.push_back(&member);
  }
  std::vector<double> starts, losses;
  connect(all);
  for (int i = 0; i < times; ++i) {
    auto const begun = now_ms();
    auto const planes = connect(all);
    starts.push_back(now_ms() - begun);
  }
  std::printf("%d members, %s\nstart: %.1f\n", size,
              same_node ? "one node" : "a node each", median(starts));
  if (size > 2) {
    for (int i = 0; i < times; ++i) losses.push_back(time_of_loss(all));
    std::printf("loss: %.1f\n", median(losses));
  }
}

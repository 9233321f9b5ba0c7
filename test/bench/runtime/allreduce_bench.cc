// SPDX-License-Identifier: Apache-2.0
/// How fast does a data plane sum, beside the library it is made of?
///
///     allreduce_bench MEMBERS PAIRS DIR BYTES...
///
/// Each member is a process.  For each size PAIRS pairs of one measurement of
/// the plane and one of gloo::allreduce(), out of place both, in alternating
/// order; a measurement is from the first member's begin to the last one's end.
/// Prints a line of JSON for each size.  DIR is for the members' contacts.
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "core/clock.hh"
#include "runtime/comm.hh"

using namespace gleaner;

namespace {

constexpr int members_max = 16;
constexpr std::size_t enough_bytes = 4 << 20;  // for one measurement
constexpr std::size_t calls_max = 20;

/// What the processes have in common.
struct Shared {
  pthread_barrier_t barrier;
  double begin_s[members_max];
  double end_s[members_max];
};

[[noreturn]] void die(std::string const& why) {
  std::cerr << "allreduce_bench: " << why << '\n';
  std::_Exit(1);
}

Shared* make_shared_memory(int members) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) die("no shared memory");
  auto* shared = static_cast<Shared*>(memory);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, unsigned(members));
  return shared;
}

class Bench {
 public:
  Bench(int rank, int members, std::string const& dir, Shared* shared)
      : rank_(rank), members_(members), shared_(shared), store_(dir) {
    make_ours();
    make_theirs();
  }

  /// One line of JSON, from rank 0.
  void compare(std::size_t bytes, int pairs) {
    auto const n = bytes / sizeof(float);
    local_.assign(n, float(rank_ + 1));
    sum_.assign(n, 0);
    auto const calls =
        std::clamp<std::size_t>(enough_bytes / bytes, 1, calls_max);
    std::vector<double> ours_ms, theirs_ms;
    for (int i = -2; i < pairs; ++i) {  // the first two are not counted
      double ours = 0, theirs = 0;
      if (i % 2 == 0) ours = measure(calls, [&] { reduce_ours(); });
      theirs = measure(calls, [&] { reduce_theirs(); });
      if (i % 2 != 0) ours = measure(calls, [&] { reduce_ours(); });
      if (i < 0) continue;
      ours_ms.push_back(ours);
      theirs_ms.push_back(theirs);
    }
    if (rank_ == 0) print(bytes, ours_ms, theirs_ms);
  }

 private:
  void make_ours() {
    auto made = make_plane("gloo", {rank_, members_, "127.0.0.1"});
    if (!made) die(made.error().message);
    ours_ = std::move(*made);
    auto exchange = [this](std::string const& key, std::string const& blob) {
      auto name = [&](int rank) {
        return "ours-" + key + '-' + std::to_string(rank);
      };
      store_.set(name(rank_), {blob.begin(), blob.end()});
      std::vector<std::string> all;
      for (int i = 0; i < members_; ++i) {
        auto const data = store_.get(name(i));
        all.emplace_back(data.begin(), data.end());
      }
      return Result<std::vector<std::string>>(std::move(all));
    };
    if (auto done = ours_->connect(exchange, 20); !done)
      die(done.error().message);
  }

  void make_theirs() {
    gloo::transport::tcp::attr attributes("127.0.0.1");
    auto device = gloo::transport::tcp::CreateDevice(attributes);
    auto context = std::make_shared<gloo::rendezvous::Context>(rank_, members_);
    context->connectFullMesh(store_, device);
    theirs_ = context;
  }

  void reduce_ours() {
    auto const done = ours_->allreduce(local_.data(), sum_.data(),
                                       local_.size(), Element::float32);
    if (!done) die(done.error().message);
  }

  void reduce_theirs() {
    gloo::AllreduceOptions options(theirs_);
    options.setInput(local_.data(), local_.size());
    options.setOutput(sum_.data(), sum_.size());
    options.setReduceFunction(
        static_cast<void (*)(void*, void const*, void const*, std::size_t)>(
            &gloo::sum<float>));
    gloo::allreduce(options);
  }

  double measure(std::size_t calls, std::function<void()> const& call) {
    SystemClock const clock;
    pthread_barrier_wait(&shared_->barrier);
    shared_->begin_s[rank_] = clock.monotonic_s();
    for (std::size_t i = 0; i < calls; ++i) call();
    shared_->end_s[rank_] = clock.monotonic_s();
    auto const expected = float(members_ * (members_ + 1) / 2);
    if (sum_.front() != expected || sum_.back() != expected) die("a wrong sum");
    pthread_barrier_wait(&shared_->barrier);
    auto const begin =
        *std::min_element(shared_->begin_s, shared_->begin_s + members_);
    auto const end =
        *std::max_element(shared_->end_s, shared_->end_s + members_);
    return (end - begin) * 1e3 / double(calls);
  }

  void print(std::size_t bytes, std::vector<double> const& ours,
             std::vector<double> const& theirs) const {
    auto list = [](std::vector<double> const& values) {
      for (std::size_t i = 0; i < values.size(); ++i)
        std::printf("%s%.5f", i ? "," : "", values[i]);
    };
    std::printf("{\"bytes\":%zu,\"members\":%d,\"ours_ms\":[", bytes, members_);
    list(ours);
    std::printf("],\"library_ms\":[");
    list(theirs);
    std::printf("]}\n");
    std::fflush(stdout);
  }

  int const rank_;
  int const members_;
  Shared* const shared_;
  gloo::rendezvous::FileStore store_;
  std::unique_ptr<Plane> ours_;
  std::shared_ptr<gloo::Context> theirs_;
  std::vector<float> local_, sum_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) die("usage: allreduce_bench MEMBERS PAIRS DIR BYTES...");
  int const members = std::atoi(argv[1]), pairs = std::atoi(argv[2]);
  if (members < 2 || members > members_max || pairs < 1)
    die("2 to 16 members, and a pair or more");
  auto* const shared = make_shared_memory(members);
  int rank = 0;
  for (int i = 1; i < members && rank == 0; ++i)
    if (fork() == 0) {
      rank = i;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
  try {
    Bench bench(rank, members, argv[3], shared);
    for (int i = 4; i < argc; ++i)
      bench.compare(std::strtoull(argv[i], nullptr, 10), pairs);
    pthread_barrier_wait(&shared->barrier);
  } catch (std::exception const& why) {
    die(why.what());
  }
  int failed = 0;
  for (int status; rank == 0 && wait(&status) > 0;) failed |= status;
  return failed ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0
/// How fast does a data plane sum, beside a library that does it?
///
///     allreduce_bench RANK MEMBERS PAIRS DIR PLANE BYTES...
///
/// One process of MEMBERS, which meet in DIR.  PLANE may say how many of them
/// are on one node: tcp:2.  Which library that is, is linked (rival.hh):
/// allreduce_bench has Gloo's, allreduce_bench_mpi, whose processes mpirun
/// starts, Open MPI's.  For each size PAIRS pairs of one measurement of the
/// plane and one of the library's own call, out of place both, in alternating
/// order; a measurement is from the first member's begin
/// to the last one's end.  Rank 0 prints a line of JSON for each size.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hh"
#include "runtime/comm/comm.hh"
#include "runtime/os/memory.hh"
#include "test/bench/runtime/meeting.hh"
#include "test/bench/runtime/rival.hh"

using namespace gleaner;

namespace {

constexpr std::size_t enough_bytes = 4 << 20;  // for one measurement
constexpr std::size_t calls_max = 20;
constexpr double contact_wait_s = 30;

[[noreturn]] void die(std::string const& why) {
  std::cerr << "allreduce_bench: " << why << '\n';
  std::_Exit(1);
}

struct Arguments {
  int rank, members, pairs;
  std::string dir, plane;
  int members_per_node;
  std::vector<std::size_t> sizes;
  std::size_t bytes_max() const {
    return *std::max_element(sizes.begin(), sizes.end());
  }
};

/// Contact data through files.
std::string read_when_there(std::string const& path) {
  SystemClock const clock;
  for (auto const end = clock.monotonic_s() + contact_wait_s;
       clock.monotonic_s() < end;) {
    if (std::ifstream file(path, std::ios::binary); file) {
      std::ostringstream text;
      text << file.rdbuf();
      return text.str();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  die("no " + path);
}

comm::Exchange exchange_in(Arguments const& arguments) {
  return [&arguments](std::string const& key, std::string const& blob) {
    auto path = [&](int rank) {
      return arguments.dir + '/' + key + '-' + std::to_string(rank);
    };
    auto const mine = path(arguments.rank);
    std::ofstream(mine + ".new", std::ios::binary) << blob;
    if (std::rename((mine + ".new").c_str(), mine.c_str()) != 0)
      die("cannot write " + mine);
    std::vector<std::string> all;
    for (int i = 0; i < arguments.members; ++i)
      all.push_back(read_when_there(path(i)));
    return Result<std::vector<std::string>>(std::move(all));
  };
}

class Bench {
 public:
  explicit Bench(Arguments const& arguments)
      : rank_(arguments.rank),
        members_(arguments.members),
        meeting_(arguments.dir + "/meeting", members_),
        rival_(bench::make_rival(rank_, members_, arguments.dir)),
        local_(arguments.bytes_max(), sharing(arguments.plane)),
        sum_(arguments.bytes_max(), sharing(arguments.plane)) {
    if (!local_.good() || !sum_.good()) die("no memory");
    comm::PlaneOptions options{rank_, members_, "127.0.0.1"};
    options.comm_host = rival_->comm_host();
    options.secret = "of this measurement";
    options.node = std::to_string(rank_ / arguments.members_per_node);
    options.shared = {{local_.data(), local_.bytes(), local_.descriptor()},
                      {sum_.data(), sum_.bytes(), sum_.descriptor()}};
    auto made = comm::make_plane(arguments.plane, options);
    if (!made) die(made.error().message);
    plane_ = std::move(*made);
    auto connected = plane_->connect(exchange_in(arguments), contact_wait_s);
    if (!connected) die(connected.error().message);
  }

  void compare(std::size_t bytes, int pairs) {
    n_ = bytes / sizeof(float);
    std::fill_n(local(), n_, float(rank_ + 1));
    auto const calls =
        std::clamp<std::size_t>(enough_bytes / bytes, 1, calls_max);
    auto ours = [&] { return measure_ms(calls, [&] { reduce(); }); };
    auto library = [&] {
      return measure_ms(calls, [&] { rival_->allreduce(local(), sum(), n_); });
    };
    std::vector<double> ours_ms, library_ms;
    for (int i = -2; i < pairs; ++i) {  // the first two are not counted
      double a = 0, b = 0;
      if (i % 2 == 0) a = ours();
      b = library();
      if (i % 2 != 0) a = ours();
      if (i < 0) continue;
      ours_ms.push_back(a);
      library_ms.push_back(b);
    }
    if (rank_ == 0) print(bytes, ours_ms, library_ms);
  }

 private:
  static os::Sharing sharing(std::string const& plane) {
    return comm::shares_memory(plane) ? os::Sharing::by_descriptor
                                      : os::Sharing::none;
  }
  float* local() const { return reinterpret_cast<float*>(local_.data()); }
  float* sum() const { return reinterpret_cast<float*>(sum_.data()); }

  void reduce() {
    auto const done =
        plane_->allreduce(local(), sum(), n_, comm::Element::float32);
    if (!done) die(done.error().message);
  }

  double measure_ms(std::size_t calls, std::function<void()> const& call) {
    SystemClock const clock;
    std::fill_n(sum(), n_, 0.f);
    meeting_.wait();
    auto const begin_s = clock.monotonic_s();
    for (std::size_t i = 0; i < calls; ++i) call();
    auto const end_s = clock.monotonic_s();
    auto const expected = float(members_ * (members_ + 1) / 2);
    if (sum()[0] != expected || sum()[n_ - 1] != expected) die("wrong sum");
    return meeting_.span_s(rank_, begin_s, end_s) * 1e3 / double(calls);
  }

  void print(std::size_t bytes, std::vector<double> const& ours_ms,
             std::vector<double> const& library_ms) const {
    auto list = [](std::vector<double> const& values) {
      for (std::size_t i = 0; i < values.size(); ++i)
        std::printf("%s%.5f", i ? "," : "", values[i]);
    };
    std::printf("{\"bytes\":%zu,\"members\":%d,\"ours_ms\":[", bytes, members_);
    list(ours_ms);
    std::printf("],\"library_ms\":[");
    list(library_ms);
    std::printf("]}\n");
    std::fflush(stdout);
  }

  int const rank_;
  int const members_;
  bench::Meeting meeting_;
  std::unique_ptr<bench::Rival> const rival_;
  os::Memory local_, sum_;
  std::size_t n_ = 0;  ///< numbers that are summed now
  std::unique_ptr<comm::Plane> plane_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7)
    die("usage: allreduce_bench RANK MEMBERS PAIRS DIR PLANE BYTES...");
  std::string const plane = argv[5];
  auto const colon = plane.find(':');
  Arguments arguments{std::atoi(argv[1]),
                      std::atoi(argv[2]),
                      std::atoi(argv[3]),
                      argv[4],
                      plane.substr(0, colon),
                      1,
                      {}};
  if (colon != plane.npos)
    arguments.members_per_node = std::atoi(plane.c_str() + colon + 1);
  for (int i = 6; i < argc; ++i)
    arguments.sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (arguments.members < 2 ||
      arguments.members > bench::Meeting::members_max || arguments.rank < 0 ||
      arguments.rank >= arguments.members || arguments.pairs < 1 ||
      arguments.members_per_node < 1)
    die("2 to 16 members, a pair or more, and a member or more on a node");
  try {
    Bench bench(arguments);
    for (auto const bytes : arguments.sizes)
      bench.compare(bytes, arguments.pairs);
  } catch (std::exception const& why) {
    die(why.what());
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
/// What plane tcp does with a network: how soon many members are connected, and
/// how much of a link it uses.
///
///     plane_bench connect MEMBERS TIMES
///     plane_bench sum RANK MEMBERS DIR ADDRESS NODE TOPOLOGY CALLS BYTES...
///     plane_bench stream RANK DIR ADDRESS BYTES
///
/// connect: members are threads, each on a node of its own; prints the time
/// until all are connected, and the most descriptors one of them had.
/// sum: one process of MEMBERS, which meet in DIR; rank 0 prints a line of JSON
/// for each size.
/// stream: rank 0 sends to rank 1 over one connection, which prints how long
/// that took.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "core/clock.hh"
#include "runtime/comm/comm.hh"
#include "runtime/os/fd.hh"

using namespace gleaner;

namespace {

constexpr double wait_s = 30;

[[noreturn]] void die(std::string const& why) {
  std::cerr << "plane_bench: " << why << '\n';
  std::_Exit(1);
}

double now_s() { return SystemClock().monotonic_s(); }

comm::PlaneOptions options_of(int rank, int members) {
  comm::PlaneOptions options{rank, members, "127.0.0.1"};
  options.secret = "of this measurement";
  options.node = "n" + std::to_string(rank);
  return options;
}

void write_file(std::string const& path, std::string const& text) {
  std::ofstream(path + ".new", std::ios::binary) << text;
  if (std::rename((path + ".new").c_str(), path.c_str()) != 0)
    die("cannot write " + path);
}

std::string read_when_there(std::string const& path) {
  for (auto const end = now_s() + wait_s; now_s() < end;) {
    if (std::ifstream file(path, std::ios::binary); file) {
      std::ostringstream text;
      text << file.rdbuf();
      return text.str();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  die("no " + path);
}

// --- connect ----------------------------------------------------------------

class Board {
 public:
  explicit Board(int members) : blobs_(std::size_t(members)) {}

  comm::Exchange of(int rank) {
    return [this, rank](std::string const&, std::string const& blob) {
      std::unique_lock lock(mutex_);
      blobs_[std::size_t(rank)] = blob;
      if (++come_ == blobs_.size()) changed_.notify_all();
      changed_.wait(lock, [&] { return come_ == blobs_.size(); });
      return Result<std::vector<std::string>>(blobs_);
    };
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> blobs_;
  std::size_t come_ = 0;
};

int open_descriptors() {
  auto const all = std::filesystem::directory_iterator("/proc/self/fd");
  return int(std::distance(begin(all), end(all)));
}

void connect_once(int members) {
  std::vector<std::unique_ptr<comm::Plane>> planes;
  Board board(members);
  auto const before = open_descriptors();
  auto const begun_s = now_s();
  for (int rank = 0; rank < members; ++rank) {
    auto made = comm::make_plane("tcp", options_of(rank, members));
    if (!made) die(made.error().message);
    planes.push_back(std::move(*made));
  }
  std::vector<std::thread> threads;
  for (int rank = 0; rank < members; ++rank)
    threads.emplace_back([&, rank] {
      auto const done =
          planes[std::size_t(rank)]->connect(board.of(rank), wait_s);
      if (!done) die(done.error().message);
    });
  for (auto& thread : threads) thread.join();
  auto const took_s = now_s() - begun_s;
  std::printf("{\"members\":%d,\"connect_s\":%.3f,\"descriptors\":%.1f}\n",
              members, took_s, double(open_descriptors() - before) / members);
  std::fflush(stdout);
}

void connect(int members, int times) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  for (int i = 0; i < times; ++i) connect_once(members);
}

// --- sum --------------------------------------------------------------------

void sum(char** words, int count) {
  int const rank = std::atoi(words[0]), members = std::atoi(words[1]);
  std::string const dir = words[2];
  auto options = options_of(rank, members);
  options.address = words[3];
  options.node = words[4];
  options.topology = words[5];
  int const calls = std::atoi(words[6]);
  auto made = comm::make_plane("tcp", options);
  if (!made) die(made.error().message);
  auto const done = (*made)->connect(
      [&](std::string const& key, std::string const& blob) {
        auto const path = [&](int of) {
          return dir + '/' + key + '-' + std::to_string(of);
        };
        write_file(path(rank), blob);
        std::vector<std::string> all;
        for (int i = 0; i < members; ++i)
          all.push_back(read_when_there(path(i)));
        return Result<std::vector<std::string>>(std::move(all));
      },
      wait_s);
  if (!done) die(done.error().message);
  for (int i = 7; i < count; ++i) {
    std::size_t const n = std::strtoull(words[i], nullptr, 10) / sizeof(float);
    std::vector<float> const local(n, float(rank + 1));
    std::vector<float> total(n);
    auto const reduce = [&](std::size_t elements) {
      auto const summed = (*made)->allreduce(local.data(), total.data(),
                                             elements, comm::Element::float32);
      if (!summed) die(summed.error().message);
    };
    reduce(n);
    std::vector<double> ms;
    for (int call = 0; call < calls; ++call) {
      reduce(1);  // all begin together
      auto const begun_s = now_s();
      reduce(n);
      ms.push_back((now_s() - begun_s) * 1e3);
    }
    if (total[n - 1] != float(members * (members + 1) / 2)) die("wrong sum");
    if (rank != 0) continue;
    std::printf("{\"bytes\":%zu,\"members\":%d,\"ms\":[", n * sizeof(float),
                members);
    for (std::size_t j = 0; j < ms.size(); ++j)
      std::printf("%s%.3f", j ? "," : "", ms[j]);
    std::printf("]}\n");
    std::fflush(stdout);
  }
  float const one = 1;
  float all = 0;  // nobody leaves before all have what they need
  if (!(*made)->allreduce(&one, &all, 1, comm::Element::float32)) die("no end");
}

// --- stream -----------------------------------------------------------------

void stream(int rank, std::string const& dir, std::string const& address,
            std::size_t bytes) {
  os::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  auto* const raw = reinterpret_cast<sockaddr*>(&at);
  std::vector<char> buffer(256 << 10);
  if (rank == 1) {
    ::inet_pton(AF_INET, address.c_str(), &at.sin_addr);
    socklen_t size = sizeof at;
    if (::bind(fd.get(), raw, size) != 0 || ::listen(fd.get(), 1) != 0 ||
        ::getsockname(fd.get(), raw, &size) != 0)
      die("cannot listen on " + address);
    write_file(dir + "/stream",
               address + ' ' + std::to_string(ntohs(at.sin_port)));
    os::Fd const from(::accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    double begun_s = 0;
    for (std::size_t come = 0; come < bytes;) {
      auto const n = ::recv(from.get(), buffer.data(), buffer.size(), 0);
      if (n <= 0) die("the stream ended early");
      // What is in flight at first was not limited by the link.
      if (come < bytes / 8 && come + std::size_t(n) >= bytes / 8)
        begun_s = now_s();
      come += std::size_t(n);
    }
    std::printf("{\"bytes_per_s\":%.0f}\n",
                double(bytes - bytes / 8) / (now_s() - begun_s));
    return;
  }
  std::istringstream peer(read_when_there(dir + "/stream"));
  std::string host;
  int port = 0;
  peer >> host >> port;
  ::inet_pton(AF_INET, host.c_str(), &at.sin_addr);
  at.sin_port = htons(std::uint16_t(port));
  if (::connect(fd.get(), raw, sizeof at) != 0) die("cannot reach " + host);
  for (std::size_t sent = 0; sent < bytes;) {
    auto const n = ::send(fd.get(), buffer.data(),
                          std::min(buffer.size(), bytes - sent), MSG_NOSIGNAL);
    if (n <= 0) die("the stream broke");
    sent += std::size_t(n);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string const what = argc > 1 ? argv[1] : "";
  if (what == "connect" && argc == 4)
    connect(std::atoi(argv[2]), std::atoi(argv[3]));
  else if (what == "sum" && argc >= 10)
    sum(argv + 2, argc - 2);
  else if (what == "stream" && argc == 6)
    stream(std::atoi(argv[2]), argv[3], argv[4],
           std::strtoull(argv[5], nullptr, 10));
  else
    die("usage: plane_bench connect | sum | stream ...");
  return 0;
}

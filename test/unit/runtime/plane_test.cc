// SPDX-License-Identifier: Apache-2.0
/// What every data plane promises.  Members are threads of this process.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "runtime/comm.hh"
#include "runtime/comm_ring.hh"
#include "runtime/half.hh"

using namespace gleaner;

namespace {

/// Collects one blob of each member and hands all of them to everybody.
class Board {
 public:
  explicit Board(int size) : size_(size) {}

  Exchange for_rank(int rank) {
    return [this, rank](
               std::string const& key,
               std::string const& blob) -> Result<std::vector<std::string>> {
      std::unique_lock lock(mutex_);
      auto& blobs = blobs_[key];
      blobs[rank] = blob;
      changed_.notify_all();
      auto all = [&] { return given_up_ || int(blobs.size()) == size_; };
      if (!changed_.wait_for(lock, std::chrono::seconds(20), all) || given_up_)
        return Error{Errc::unavailable, "given up"};
      std::vector<std::string> answer;
      for (auto const& [r, text] : blobs) answer.push_back(text);
      return answer;
    };
  }
  void give_up() {
    std::lock_guard lock(mutex_);
    given_up_ = true;
    changed_.notify_all();
  }

 private:
  int const size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::map<int, std::string>> blobs_;
  bool given_up_ = false;
};

std::vector<std::string> kinds() {
  std::vector<std::string> list;
  std::istringstream text(planes_available());
  for (std::string kind; std::getline(text, kind, ',');) list.push_back(kind);
  return list;
}

using Planes = std::vector<std::unique_ptr<Plane>>;

/// One connected plane per member.
Planes connected(std::string const& kind, int size) {
  Planes planes(size);
  Board board(size);
  std::vector<std::thread> members;
  std::atomic<int> good{0};
  for (int rank = 0; rank < size; ++rank) {
    planes[rank] = std::move(*make_plane(kind, {rank, size, "127.0.0.1"}));
    members.emplace_back([&, rank] {
      good += bool(planes[rank]->connect(board.for_rank(rank), 20));
    });
  }
  for (auto& member : members) member.join();
  REQUIRE(good == size);
  return planes;
}

template <class T>
constexpr Element element = Element::float32;
template <>
constexpr Element element<double> = Element::float64;
template <>
constexpr Element element<std::int64_t> = Element::int64;
template <>
constexpr Element element<half::Float16> = Element::float16;
template <>
constexpr Element element<half::Bfloat16> = Element::bfloat16;

template <class T>
T rounded(double value) {
  if constexpr (std::is_same_v<T, std::int64_t>)
    return T(value * (1 << 20));
  else if constexpr (std::is_arithmetic_v<T>)
    return T(value);
  else
    return T::nearest(float(value));
}

template <class T>
double value_of(T number) {
  if constexpr (std::is_same_v<T, std::int64_t>)
    return double(number) / (1 << 20);
  else if constexpr (std::is_arithmetic_v<T>)
    return double(number);
  else
    return float(number);
}

/// How far a sum of a few numbers of size 1 may be from the true one.
template <class T>
constexpr double error_max = sizeof(T) > 2                      ? 1e-5
                             : std::is_same_v<T, half::Float16> ? 0.03
                                                                : 0.25;

template <class T>
std::vector<T> numbers(int rank, std::size_t n) {
  std::mt19937 random(rank + 1);
  std::normal_distribution<double> normal;
  std::vector<T> values(n);
  for (auto& v : values) v = rounded<T>(normal(random));
  return values;
}

/// Each member's sum after one allreduce.
template <class T>
std::vector<std::vector<T>> sums(Planes& planes, std::size_t n) {
  std::vector<std::vector<T>> sum(planes.size(),
                                  std::vector<T>(n, rounded<T>(-1)));
  std::vector<std::thread> members;
  std::atomic<int> good{0};
  for (std::size_t rank = 0; rank < planes.size(); ++rank)
    members.emplace_back([&, rank] {
      auto const mine = numbers<T>(int(rank), n);
      auto const before = mine;
      auto const bytes = n * sizeof(T);
      auto done =
          planes[rank]->allreduce(mine.data(), sum[rank].data(), n, element<T>);
      good += done &&
              (n == 0 || std::memcmp(mine.data(), before.data(), bytes) == 0);
    });
  for (auto& member : members) member.join();
  REQUIRE(good == int(planes.size()));
  return sum;
}

template <class T>
void check_sums(Planes& planes, std::size_t n) {
  auto const got = sums<T>(planes, n);
  std::vector<double> want(n);
  for (std::size_t rank = 0; rank < planes.size(); ++rank) {
    auto const part = numbers<T>(int(rank), n);
    for (std::size_t i = 0; i < n; ++i) want[i] += value_of(part[i]);
  }
  std::size_t far = 0;
  for (std::size_t i = 0; i < n; ++i)
    far += std::abs(value_of(got[0][i]) - want[i]) > error_max<T>;
  CHECK(far == 0);
  for (auto const& sum : got)
    CHECK(
        (n == 0 || std::memcmp(sum.data(), got[0].data(), n * sizeof(T)) == 0));
}

}  // namespace

TEST_CASE("a sum has the same bits on every member, for every size") {
  for (auto const& kind : kinds())
    for (int size : {1, 2, 3, 4}) {
      if (kind == "self" && size > 1) continue;
      auto planes = connected(kind, size);
      for (std::size_t n : {0, 1, 2, 3, 7, 1000, 65537, 1000003}) {
        INFO(kind << ", " << size << " members, " << n << " numbers");
        check_sums<float>(planes, n);
        check_sums<double>(planes, n / 2);
        check_sums<half::Float16>(planes, n);
        check_sums<half::Bfloat16>(planes, n);
        check_sums<std::int64_t>(planes, n / 2);
      }
    }
}

TEST_CASE("an unknown plane is refused with what was built") {
  auto plane = make_plane("pigeon", {0, 2, "127.0.0.1"});
  REQUIRE(!plane);
  CHECK(plane.error().code == Errc::not_found);
  CHECK(plane.error().message.find(planes_available()) != std::string::npos);
}

TEST_CASE("stop ends a sum that waits for a member that does not come") {
  for (auto const& kind : kinds()) {
    if (kind == "self") continue;
    auto planes = connected(kind, 3);
    std::vector<std::future<bool>> done;
    std::vector<std::vector<float>> sum(2, std::vector<float>(1 << 20));
    std::vector<float> const mine(1 << 20, 1.f);
    for (int rank : {0, 1})
      done.push_back(std::async(std::launch::async, [&, rank] {
        return bool(planes[rank]->allreduce(mine.data(), sum[rank].data(),
                                            mine.size(), Element::float32));
      }));
    // They have something to wait for, whether they are in it yet or not.
    auto const begun = std::chrono::steady_clock::now();
    planes[0]->stop();
    planes[1]->stop();
    CHECK(!done[0].get());
    CHECK(!done[1].get());
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
    CHECK(
        !planes[0]->allreduce(mine.data(), sum[0].data(), 1, Element::float32));
  }
}

TEST_CASE("stop ends a sum at any moment") {
  for (auto const& kind : kinds()) {
    if (kind == "self") continue;
    std::vector<float> const mine(1 << 20, 1.f);
    for (int run = 0; run < 12; ++run) {
      auto planes = connected(kind, 3);
      std::vector<std::vector<float>> sum(3, std::vector<float>(mine.size()));
      std::atomic<int> rounds{0};
      std::vector<std::future<void>> done;
      for (int rank = 0; rank < 3; ++rank)
        done.push_back(std::async(std::launch::async, [&, rank] {
          while (planes[rank]->allreduce(mine.data(), sum[rank].data(),
                                         mine.size(), Element::float32))
            ++rounds;
        }));
      while (rounds < run * 3) std::this_thread::yield();
      for (int i = 0; i < 3; ++i) planes[(run + i) % 3]->stop();
      for (auto& member : done)
        REQUIRE(member.wait_for(std::chrono::seconds(5)) ==
                std::future_status::ready);
    }
  }
}

TEST_CASE("stop ends a connect that waits for a member that does not come") {
  for (auto const& kind : kinds()) {
    if (kind == "self") continue;
    auto plane = std::move(*make_plane(kind, {0, 2, "127.0.0.1"}));
    auto absent = std::move(*make_plane(kind, {1, 2, "127.0.0.1"}));
    Board board(2);
    std::promise<void> exchanged;
    auto other = std::async(std::launch::async, [&] {
      // Gives its contact data and is gone.
      return bool(absent->connect(
          [&](auto const& key, auto const& blob) {
            auto all = board.for_rank(1)(key, blob);
            exchanged.set_value();
            return Result<std::vector<std::string>>(
                Error{Errc::unavailable, "gone"});
          },
          20));
    });
    auto done = std::async(std::launch::async, [&] {
      return bool(plane->connect(board.for_rank(0), 20));
    });
    exchanged.get_future().wait();
    CHECK(!other.get());
    absent.reset();
    plane->stop();
    REQUIRE(done.wait_for(std::chrono::seconds(5)) ==
            std::future_status::ready);
  }
}

TEST_CASE("a connect that nobody answers ends by itself") {
  for (auto const& kind : kinds()) {
    if (kind == "self") continue;
    auto plane = std::move(*make_plane(kind, {0, 2, "127.0.0.1"}));
    auto silent = std::move(*make_plane(kind, {1, 2, "127.0.0.1"}));
    Board board(2);
    auto other = std::async(std::launch::async, [&] {
      return bool(silent->connect(
          [&](auto const& key, auto const& blob) {
            auto all = board.for_rank(1)(key, blob);
            return Result<std::vector<std::string>>(
                Error{Errc::unavailable, "silent"});
          },
          20));
    });
    auto const begun = std::chrono::steady_clock::now();
    auto connected = plane->connect(board.for_rank(0), 0.5);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(3));
    CHECK(!other.get());
  }
}

TEST_CASE("survivors of a killed member are freed by stop, with no signal") {
  for (auto const& kind : kinds()) {
    if (kind == "self") continue;
    // Contact data goes through pipes: the killed member is a process.
    int up[2], down[2];
    REQUIRE(pipe(up) == 0);
    REQUIRE(pipe(down) == 0);
    auto put = [](int fd, std::string const& text) {
      auto const line = text + "\n";
      REQUIRE(write(fd, line.data(), line.size()) == ssize_t(line.size()));
    };
    auto get = [](int fd) {
      std::string line;
      for (char c; read(fd, &c, 1) == 1 && c != '\n';) line += c;
      return line;
    };
    std::vector<float> const mine(1 << 20, 1.f);
    std::vector<float> sum(mine.size());
    pid_t const victim = fork();
    if (victim == 0) {
      auto plane = std::move(*make_plane(kind, {1, 2, "127.0.0.1"}));
      auto ready = plane->connect(
          [&](auto const&, auto const& blob) {
            put(up[1], blob);
            auto const other = get(down[0]);
            return Result<std::vector<std::string>>(
                std::vector<std::string>{other, blob});
          },
          20);
      while (ready)
        ready = plane->allreduce(mine.data(), sum.data(), mine.size(),
                                 Element::float32);
      _exit(0);
    }
    auto plane = std::move(*make_plane(kind, {0, 2, "127.0.0.1"}));
    auto ready = plane->connect(
        [&](auto const&, auto const& blob) {
          put(down[1], blob);
          auto const other = get(up[0]);
          return Result<std::vector<std::string>>(
              std::vector<std::string>{blob, other});
        },
        20);
    REQUIRE(ready);
    std::atomic<int> rounds{0};
    auto survivor = std::async(std::launch::async, [&] {
      while (plane->allreduce(mine.data(), sum.data(), mine.size(),
                              Element::float32))
        ++rounds;
    });
    while (rounds < 5) std::this_thread::yield();
    kill(victim, SIGKILL);
    int status = 0;
    CHECK(waitpid(victim, &status, 0) == victim);
    plane->stop();
    CHECK(survivor.wait_for(std::chrono::seconds(5)) ==
          std::future_status::ready);
    for (int fd : {up[0], up[1], down[0], down[1]}) close(fd);
  }
}

TEST_CASE("what a ring member receives is what its neighbour sends") {
  for (int size : {2, 3, 5})
    for (std::size_t n : {1, 4, 1000, 2000003}) {
      std::vector<RingPlan> members;
      for (int rank = 0; rank < size; ++rank)
        members.emplace_back(rank, size, n, 4);
      for (std::size_t i = 0; i < members[0].steps(); ++i)
        for (auto const& member : members) {
          auto const sent = members[member.left()].step(i).send;
          auto const received = member.step(i).receive;
          REQUIRE(sent.offset == received.offset);
          REQUIRE(sent.bytes == received.bytes);
          REQUIRE(received.bytes <= member.segment_bytes());
        }
    }
}

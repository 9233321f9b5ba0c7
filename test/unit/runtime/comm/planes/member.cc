// SPDX-License-Identifier: Apache-2.0
#include "planes/member.hh"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "planes/numbers.hh"
#include "planes/operations.hh"

namespace gleaner::comm::test {
namespace {

using nlohmann::json;

constexpr int mark = 0x5a;  ///< what a failed operation's result is filled with

/// One plane and the threads that are inside its calls.
struct Entry {
  std::unique_ptr<Plane> plane;
  int rank = 0, size = 1;
  std::map<std::string, std::vector<std::string>> blobs;
  bool given_up = false;
  std::vector<std::thread> threads;
};

class Server {
 public:
  Server(PlaneUnderTest const& kind, int member, int fd)
      : kind_(kind), member_(member), fd_(fd) {}

  void run() {
    std::string buffer;
    char piece[65536];
    for (ssize_t n; (n = recv(fd_, piece, sizeof piece, 0)) > 0;) {
      buffer.append(piece, std::size_t(n));
      for (std::size_t end; (end = buffer.find('\n')) != std::string::npos;
           buffer.erase(0, end + 1))
        take(json::parse(buffer.substr(0, end)));
    }
    std::vector<int> planes;
    for (auto const& [number, entry] : entries_) planes.push_back(number);
    for (int plane : planes) stop(plane);
    for (int plane : planes) drop(plane);
  }

 private:
  void send(json const& message) {
    auto const line = message.dump() + '\n';
    std::lock_guard lock(send_mutex_);
    for (std::size_t at = 0; at < line.size();) {
      auto const n =
          ::send(fd_, line.data() + at, line.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return;  // the test is over
      at += std::size_t(n);
    }
  }

  static json answer(json const& order, Result<void> const& done) {
    json text = {{"op", order.at("op")}, {"ok", bool(done)}};
    if (!done) text["why"] = done.error().message;
    return text;
  }

  void take(json const& order) {
    if (order.contains("blobs") || order.contains("give_up"))
      return take_blobs(order);
    auto const what = order.at("do").get<std::string>();
    int const plane = order.value("plane", 0);
    if (what == "stop") {
      stop(plane);
    } else if (what == "drop") {
      drop(plane);
    } else if (what == "misuse") {
      return send({{"op", order.at("op")}, {"ok", is_unhurt()}});
    } else if (what == "look") {
      return send({{"op", order.at("op")}, {"ok", untouched()}});
    } else {
      if (what == "connect" && !make(order)) return;
      auto& entry = *entries_.at(plane);
      entry.threads.emplace_back([this, order, what, &entry] {
        send(what == "connect"   ? connect(order, entry)
             : what == "sum"     ? sum(order, entry)
             : what == "operate" ? operate(order, entry)
                                 : spin(order, entry));
      });
      return;
    }
    send({{"op", order.at("op")}, {"ok", true}});
  }

  /// Stopped before it is connected, and again; does it only fail?
  bool is_unhurt() {
    auto made = kind_.make(member_, {0, 2, "127.0.0.1"});
    if (!made) return false;
    (*made)->stop();
    (*made)->stop();
    auto const connected = (*made)->connect(
        [](auto const&, auto const&) -> Result<std::vector<std::string>> {
          return Error{Errc::unavailable, "nobody"};
        },
        1);
    (*made)->stop();
    return !connected;
  }

  bool make(json const& order) {
    auto entry = std::make_shared<Entry>();
    entry->rank = order.at("rank");
    entry->size = order.at("size");
    auto made = kind_.make(member_, {entry->rank, entry->size, "127.0.0.1"});
    if (!made) {
      send(answer(order, made.error()));
      return false;
    }
    entry->plane = std::move(*made);
    std::lock_guard lock(mutex_);
    entries_[order.at("plane")] = entry;
    return true;
  }

  void take_blobs(json const& message) {
    std::lock_guard lock(mutex_);
    auto const give_up = message.contains("give_up");
    auto it = entries_.find(message.at(give_up ? "give_up" : "plane"));
    if (it == entries_.end()) return;
    it->second->given_up |= give_up;
    if (!give_up)
      it->second->blobs[message.at("key")] =
          message.at("blobs").get<std::vector<std::string>>();
    changed_.notify_all();
  }

  json connect(json const& order, Entry& entry) {
    bool const vanishes = order.value("then", "") == "vanish";
    double const timeout_s = order.at("timeout_s");
    auto const end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(int(timeout_s * 1000));
    Exchange const exchange =
        [&](std::string const& key,
            std::string const& blob) -> Result<std::vector<std::string>> {
      send({{"blob", blob},
            {"key", key},
            {"plane", order.at("plane")},
            {"rank", entry.rank},
            {"size", entry.size}});
      std::unique_lock lock(mutex_);
      bool const come = changed_.wait_until(
          lock, end, [&] { return entry.given_up || entry.blobs.count(key); });
      if (!come || entry.given_up || vanishes)
        return Error{Errc::unavailable, "given up"};
      return entry.blobs[key];
    };
    return answer(order, entry.plane->connect(exchange, timeout_s));
  }

  json sum(json const& order, Entry& entry) {
    auto const type = Element(order.at("type").get<int>());
    std::size_t const n = order.at("n");
    std::uint64_t const seed = order.at("seed");
    auto const mine = numbers(type, entry.rank, n, seed);
    std::vector<char> bytes(std::max<std::size_t>(mine.size(), 1));
    auto local = kind_.memory(bytes.size()), sum = kind_.memory(bytes.size());
    local->put(mine.data(), mine.size());
    std::memset(bytes.data(), 0x11, bytes.size());
    sum->put(bytes.data(), bytes.size());
    auto const done = entry.plane->allreduce(local->at(), sum->at(), n, type);
    auto text = answer(order, done);
    local->get(bytes.data(), mine.size());
    text["local_kept"] = std::equal(mine.begin(), mine.end(), bytes.begin());
    if (done) {
      sum->get(bytes.data(), mine.size());
      text["wrong"] = wrong_sums(type, bytes.data(), entry.size, n, seed);
      text["digest"] = digest(bytes.data(), mine.size());
    } else {
      watch(std::move(sum), bytes.size());
    }
    return text;
  }

  json operate(json const& order, Entry& entry) {
    Operations operations(*entry.plane, entry.rank, entry.size,
                          order.at("n").get<std::size_t>(),
                          order.at("seed").get<std::uint64_t>());
    auto const done = operations.run(order.at("what").get<std::string>());
    auto text = answer(order, done);
    text["wrong"] = operations.wrong();
    return text;
  }

  json spin(json const& order, Entry& entry) {
    std::size_t const n = order.at("n"), bytes = n * sizeof(float);
    auto local = kind_.memory(bytes), sum = kind_.memory(bytes);
    std::vector<float> const ones(n, 1.f);
    std::vector<float> got(n);
    local->put(ones.data(), bytes);
    int rounds = 0, wrong = 0;
    for (;;) {
      auto const done =
          entry.plane->allreduce(local->at(), sum->at(), n, Element::float32);
      if (!done) {
        auto text = answer(order, done);
        text["rounds"] = rounds;
        text["wrong"] = wrong;
        watch(std::move(sum), bytes);
        return text;
      }
      sum->get(got.data(), bytes);
      wrong += got[0] != float(entry.size) || got[n - 1] != got[0];
      if (++rounds == order.value("tell_after", 0))
        send({{"told", order.at("op")}});
    }
  }

  /// Nothing may write here any more.
  void watch(std::unique_ptr<TestMemory> memory, std::size_t bytes) {
    std::vector<char> const pattern(bytes, char(mark));
    memory->put(pattern.data(), bytes);
    std::lock_guard lock(mutex_);
    watched_.emplace_back(std::move(memory), bytes);
  }

  bool untouched() {
    std::lock_guard lock(mutex_);
    for (auto const& [memory, bytes] : watched_) {
      std::vector<char> now(bytes);
      memory->get(now.data(), bytes);
      // Each byte as the one before it: one call, where ThreadSanitizer would
      // look at every byte for itself.
      if (now[0] != char(mark) ||
          std::memcmp(now.data(), now.data() + 1, bytes - 1) != 0)
        return false;
    }
    return true;
  }

  void stop(int plane) {
    auto it = entries_.find(plane);
    if (it == entries_.end()) return;
    it->second->plane->stop();
    take_blobs({{"give_up", plane}});
  }

  void drop(int plane) {
    auto it = entries_.find(plane);
    if (it == entries_.end()) return;
    for (auto& thread : it->second->threads) thread.join();
    std::lock_guard lock(mutex_);
    entries_.erase(it);
  }

  PlaneUnderTest const& kind_;
  int const member_;
  int const fd_;
  std::mutex send_mutex_;
  std::mutex mutex_;  ///< for what follows; entries_ changes on run()'s thread
  std::condition_variable changed_;
  std::map<int, std::shared_ptr<Entry>> entries_;
  std::vector<std::pair<std::unique_ptr<TestMemory>, std::size_t>> watched_;
};

}  // namespace

void serve_member(PlaneUnderTest const& kind, int member, int fd) {
  kind.enter(member);
  Server(kind, member, fd).run();
}

}  // namespace gleaner::comm::test

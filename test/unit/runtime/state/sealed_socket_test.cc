// SPDX-License-Identifier: Apache-2.0
/// What somebody between two members can do to the state that moves there:
/// nothing but end the transfer.
#include "runtime/state/sealed_socket.hh"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/os/fd.hh"
#include "runtime/state/transfer.hh"
#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

using Direction = Stream::Direction;

proto::SealKeys const donors{"of the donor", "of the joiner"};
proto::SealKeys const joiners{"of the joiner", "of the donor"};

constexpr std::size_t record_bytes = SealedSocket::length_bytes +
                                     SealedSocket::record_bytes_max +
                                     SealedSocket::tag_bytes;

struct Ends {
  os::Fd donor, joiner;
  Ends() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    donor = os::Fd(ends[0]);
    joiner = os::Fd(ends[1]);
  }
};

std::vector<char> numbers(std::size_t n) {
  std::vector<char> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = char(i * 7 / 5);
  return bytes;
}

Result<void> move(SealedSocket& socket, Direction direction,
                  std::vector<Span> spans) {
  std::vector<Stream> streams(1);
  streams[0] = {&socket, direction, std::move(spans)};
  move_all(streams);
  return streams[0].done;
}

Result<void> move(SealedSocket& socket, Direction direction,
                  std::vector<char>& bytes) {
  return move(socket, direction,
              std::vector<Span>{{bytes.data(), bytes.size()}});
}

/// The records of these bytes as they pass on the network.
std::string records_of(std::vector<char> bytes,
                       proto::SealKeys const& keys = donors) {
  Ends ends;
  auto sending = std::async(std::launch::async, [&] {
    SealedSocket socket(ends.donor.get(), keys);
    auto const sent = move(socket, Direction::send, bytes);
    ends.donor = os::Fd();
    return bool(sent);
  });
  std::string records;
  std::vector<char> some(1 << 16);
  for (ssize_t n;
       (n = ::recv(ends.joiner.get(), some.data(), some.size(), 0)) > 0;)
    records.append(some.data(), std::size_t(n));
  CHECK(sending.get());
  return records;
}

/// What a joiner makes of them.
Result<void> receive(std::string const& records, std::vector<char>& bytes) {
  Ends ends;
  auto feeding = std::async(std::launch::async, [&] {
    for (std::size_t at = 0; at < records.size();) {
      auto const n = ::send(ends.donor.get(), records.data() + at,
                            records.size() - at, MSG_NOSIGNAL);
      if (n <= 0) break;
      at += std::size_t(n);
    }
    ends.donor = os::Fd();
  });
  SealedSocket socket(ends.joiner.get(), joiners);
  auto const received = move(socket, Direction::receive, bytes);
  ends.joiner = os::Fd();
  feeding.get();
  return received;
}

}  // namespace

TEST_CASE("bytes arrive whole, however they are cut at either end") {
  auto const n = GENERATE(1, 5, 65535, 65536, 65537, 1'000'003);
  auto const parts = GENERATE(1, 2, 7);
  CAPTURE(n, parts);
  auto given = numbers(std::size_t(n));
  std::vector<char> got(given.size());
  std::vector<Span> cut;
  for (int i = 0; i < parts; ++i) {
    auto const first = given.size() * std::size_t(i) / std::size_t(parts);
    auto const last = given.size() * std::size_t(i + 1) / std::size_t(parts);
    cut.push_back({got.data() + first, last - first});
  }
  Ends ends;
  auto sending = std::async(std::launch::async, [&] {
    SealedSocket socket(ends.donor.get(), donors);
    return bool(move(socket, Direction::send, given));
  });
  SealedSocket socket(ends.joiner.get(), joiners);
  for (auto const& span : cut)
    REQUIRE(move(socket, Direction::receive, std::vector{span}));
  CHECK(sending.get());
  CHECK(got == given);
}

TEST_CASE("state that was changed on the way is not taken") {
  auto const* const what =
      GENERATE("nothing", "data", "length", "tag", "repeated", "left out",
               "swapped", "of the other direction", "of another connection");
  CAPTURE(what);
  std::string const attack = what;
  auto const given = numbers(3 * SealedSocket::record_bytes_max);
  auto records = records_of(given);
  REQUIRE(records.size() == 3 * record_bytes);
  auto record = [&](std::size_t i) {
    return records.substr(i * record_bytes, record_bytes);
  };
  if (attack == "data") records[record_bytes + 1000] ^= 1;
  if (attack == "length") records[record_bytes + 3] ^= 1;
  if (attack == "tag") records[2 * record_bytes - 1] ^= 1;
  if (attack == "repeated") records = record(0) + record(0) + record(2);
  if (attack == "left out") records = record(0) + record(2) + record(2);
  if (attack == "swapped") records = record(0) + record(2) + record(1);
  if (attack == "of the other direction")
    records = record(0) + records_of(given, joiners).substr(record_bytes);
  if (attack == "of another connection")
    records = record(0) +
              records_of(given, {"another", "another"}).substr(record_bytes);
  std::vector<char> got(given.size());
  auto const received = receive(records, got);
  auto const whole = attack == "nothing";
  CHECK(bool(received) == whole);
  if (whole) {
    CHECK(got == given);
    return;
  }
  CHECK(received.error().code == Errc::denied);
  // Of the record that was changed nothing was handed out.
  auto const second = got.begin() + SealedSocket::record_bytes_max;
  CHECK(std::all_of(second, got.end(), [](char c) { return c == 0; }));
}

TEST_CASE("state that ends early is not taken") {
  auto const given = numbers(2 * SealedSocket::record_bytes_max);
  auto const records = records_of(given);
  auto const left =
      GENERATE(record_bytes, record_bytes + 2, 2 * record_bytes - 1);
  std::vector<char> got(given.size());
  auto const received = receive(records.substr(0, left), got);
  REQUIRE_FALSE(received);
  CHECK(received.error().code == Errc::unavailable);
}

TEST_CASE("a record of no bytes, or of too many, is none") {
  auto const length = GENERATE(std::string(4, '\0'), std::string("\0\1\0\1", 4),
                               std::string(4, '\xff'));
  std::vector<char> got(100);
  auto const received = receive(length + std::string(200'000, 'x'), got);
  REQUIRE_FALSE(received);
  CHECK(received.error().code == Errc::denied);
}

namespace {

/// Two sockets of a TCP connection over loopback.
struct Loopback {
  os::Fd one, other;
  Loopback() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* at = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    os::Fd const listener(::socket(AF_INET, SOCK_STREAM, 0));
    one = os::Fd(::socket(AF_INET, SOCK_STREAM, 0));
    REQUIRE(::bind(listener.get(), at, size) == 0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    REQUIRE(::getsockname(listener.get(), at, &size) == 0);
    REQUIRE(::connect(one.get(), at, size) == 0);
    other = os::Fd(::accept(listener.get(), nullptr, nullptr));
  }
};

struct Cost {
  double wall_s, cpu_s;
};

double cpu_s() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto const seconds = [](timeval const& t) {
    return double(t.tv_sec) + double(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Cost cost_of(std::vector<char>& from, std::vector<char>& to, bool sealed) {
  Loopback link;
  auto one = sealed ? SealedSocket(link.one.get(), donors)
                    : SealedSocket::plain(link.one.get());
  auto other = sealed ? SealedSocket(link.other.get(), joiners)
                      : SealedSocket::plain(link.other.get());
  auto const began = std::chrono::steady_clock::now();
  auto const used = cpu_s();
  auto sending = std::async(std::launch::async, [&] {
    return bool(move(one, Direction::send, from));
  });
  CHECK(move(other, Direction::receive, to));
  CHECK(sending.get());
  std::chrono::duration<double> const took =
      std::chrono::steady_clock::now() - began;
  return {took.count(), cpu_s() - used};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

// test_state "[cost]" prints what doc/results-runtime.md says.
TEST_CASE("the cost of seals on 400 MiB of state", "[.][cost]") {
  auto from = numbers(400u << 20);
  std::vector<char> to(from.size());
  std::vector<double> wall[2], cpu[2];
  for (int round = 0; round < 21; ++round)
    for (bool const sealed : {false, true}) {
      auto const cost = cost_of(from, to, sealed);
      if (round == 0) continue;  // pages are new
      wall[sealed].push_back(cost.wall_s * 1e3);
      cpu[sealed].push_back(cost.cpu_s * 1e3);
    }
  CHECK(to == from);
  for (bool const sealed : {false, true})
    std::printf("%s: %.0f ms, %.0f ms of processor, %.2f GB/s\n",
                sealed ? "sealed" : "plain", median(wall[sealed]),
                median(cpu[sealed]),
                double(from.size()) / median(wall[sealed]) / 1e6);
}

}  // namespace gleaner::state

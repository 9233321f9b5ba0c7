// SPDX-License-Identifier: Apache-2.0
#include "planes/operations.hh"

#include <algorithm>
#include <cstring>
#include <random>

#include "planes/numbers.hh"

namespace gleaner::comm::test {

Result<void> Operations::run(std::string const& what) {
  return what == "reduce_scatter" ? reduce_scatter()
         : what == "all_gather"   ? all_gather()
         : what == "broadcast"    ? broadcast()
         : what == "pairs"        ? pairs()
                                  : groups();
}

Operations::Numbers Operations::of(int rank, std::size_t n) const {
  auto const bytes = numbers(Element::int64, rank, n, seed_);
  Numbers found(n);
  if (n > 0) std::memcpy(found.data(), bytes.data(), bytes.size());
  return found;
}

Operations::Numbers Operations::sum_of(std::vector<int> const& ranks,
                                       std::size_t n) const {
  Numbers sum(n);
  for (int const rank : ranks) {
    auto const part = of(rank, n);
    for (std::size_t i = 0; i < n; ++i)
      sum[i] = std::int64_t(std::uint64_t(sum[i]) + std::uint64_t(part[i]));
  }
  return sum;
}

/// Somewhere; some parts are empty.
std::vector<std::size_t> Operations::cuts() const {
  std::mt19937_64 random(seed_);
  std::vector<std::size_t> cuts{0, n_};
  for (int i = 1; i < size_; ++i) cuts.push_back(random() % (n_ + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

Result<void> Operations::reduce_scatter() {
  auto const at = cuts();
  auto const first = at[std::size_t(rank_)];
  auto const mine = at[std::size_t(rank_) + 1] - first;
  auto const local = of(rank_, n_);
  Numbers part(mine + 1, 42);
  auto const done =
      plane_.reduce_scatter(local.data(), part.data(), at, Element::int64);
  std::vector<int> all;
  for (int i = 0; i < size_; ++i) all.push_back(i);
  auto const expected = sum_of(all, n_);
  for (std::size_t i = 0; i < mine; ++i)
    wrong_ += part[i] != expected[first + i];
  wrong_ += part[mine] != 42;        // nothing behind it is written
  wrong_ += local != of(rank_, n_);  // nor what was to be summed
  return done;
}

Result<void> Operations::all_gather() {
  auto const at = cuts();
  Numbers all(n_ + 1, 42);
  auto const first = at[std::size_t(rank_)];
  auto const mine = at[std::size_t(rank_) + 1] - first;
  auto const part = of(rank_, mine);
  bool const in_place = seed_ % 2 == 0;
  if (in_place) std::copy(part.begin(), part.end(), all.begin() + long(first));
  auto const done =
      plane_.all_gather(in_place ? all.data() + first : part.data(), all.data(),
                        at, Element::int64);
  for (int rank = 0; rank < size_; ++rank) {
    auto const begin = at[std::size_t(rank)];
    auto const expected = of(rank, at[std::size_t(rank) + 1] - begin);
    wrong_ += !std::equal(expected.begin(), expected.end(),
                          all.begin() + long(begin));
  }
  wrong_ += all[n_] != 42;
  return done;
}

Result<void> Operations::broadcast() {
  for (int root = 0; root < size_; ++root) {
    // An odd number of bytes.
    auto const bytes = n_ == 0 ? 0 : n_ * sizeof(std::int64_t) - 3;
    auto const expected = of(root, n_);
    auto data = rank_ == root ? expected : Numbers(n_);
    if (auto done = plane_.broadcast(data.data(), bytes, root); !done)
      return done;
    wrong_ += bytes > 0 && std::memcmp(data.data(), expected.data(), bytes);
  }
  return {};
}

/// Around a ring, then between any two.
Result<void> Operations::pairs() {
  auto const bytes = n_ * sizeof(std::int64_t);
  for (int distance = 1; distance < size_; ++distance) {
    int const to = (rank_ + distance) % size_;
    int const from = (rank_ + size_ - distance) % size_;
    auto const mine = of(rank_, n_);
    Numbers theirs(n_);
    // One of each cycle begins by receiving: else all would send.
    auto const send = [&] { return plane_.send(mine.data(), bytes, to); };
    auto const receive = [&] {
      return plane_.receive(theirs.data(), bytes, from);
    };
    bool const sends_first = rank_ >= distance;
    if (auto done = sends_first ? send() : receive(); !done) return done;
    if (auto done = sends_first ? receive() : send(); !done) return done;
    wrong_ += theirs != of(from, n_);
  }
  return {};
}

/// Even and odd ranks, and the last one alone.
Result<void> Operations::groups() {
  std::vector<int> mine;
  for (int rank = 0; rank < size_; ++rank) {
    auto const group_of = [&](int r) { return r == size_ - 1 ? 2 : r % 2; };
    if (group_of(rank) == group_of(rank_)) mine.push_back(rank);
  }
  auto const group = plane_.group(mine, 20);
  if (!group) return group.error();
  auto const local = of(rank_, n_);
  Numbers sum(n_);
  auto const done =
      (*group)->allreduce(local.data(), sum.data(), n_, Element::int64);
  wrong_ += sum != sum_of(mine, n_);
  (*group)->stop();
  return done;
}

}  // namespace gleaner::comm::test

// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/ring_sum.hh"

#include <algorithm>
#include <cstring>

namespace gleaner::comm::tcp {
namespace {

/// Added while it is still in the processor's cache.
constexpr std::size_t scratch_bytes = 256 << 10;

}  // namespace

/// One sum under way.  What has to be sent in a round is what was received in
/// the round before: the two go on beside each other.
///
/// What comes in a later round never overwrites what is not sent yet: it has
/// been through all nodes, ours too.
class RingSum::Run {
 public:
  Run(RingSum& ring, std::uint64_t operation, RingRounds::Kind kind,
      std::vector<Range> chunks, void const* local, void* sum, Element type)
      : ring_(ring),
        rounds_(kind, ring.position_, std::move(chunks)),
        operation_(operation),
        local_(static_cast<char const*>(local)),
        sum_(static_cast<char*>(sum)),
        type_(type) {}

  Result<void> run() {
    begin_sending();
    begin_receiving();
    while (sending_ < rounds_.rounds() || receiving_ < rounds_.rounds()) {
      auto const sent = send();
      if (!sent) return sent.error();
      auto const come = receive();
      if (!come) return come.error();
      if (*sent || *come) continue;
      Traffic::Wait const waits[] = {
          {&ring_.right_, short(may_send() > 0 ? POLLOUT : 0)},
          {&ring_.left_, short(receiving_ < rounds_.rounds() ? POLLIN : 0)}};
      if (auto waited = ring_.traffic_.wait(waits); !waited) return waited;
    }
    return {};
  }

 private:
  void begin_sending() {
    for (; sending_ < rounds_.rounds(); ++sending_)
      if (auto const range = rounds_.sent(sending_); range.bytes > 0) {
        sent_ = 0;
        return ring_.right_.begin_send(operation_, std::uint32_t(sending_),
                                       range.bytes);
      }
  }

  void begin_receiving() {
    for (; receiving_ < rounds_.rounds(); ++receiving_)
      if (auto const range = rounds_.received(receiving_); range.bytes > 0) {
        received_ = held_ = 0;
        return ring_.left_.begin_receive(operation_, std::uint32_t(receiving_),
                                         range.bytes);
      }
  }

  std::size_t may_send() const {
    if (sending_ >= rounds_.rounds()) return 0;
    auto const bytes = rounds_.sent(sending_).bytes;
    if (sending_ == 0 || receiving_ > sending_ - 1) return bytes - sent_;
    return receiving_ == sending_ - 1 ? received_ - sent_ : 0;
  }

  /// Whether anything moved.
  Result<bool> send() {
    auto const may = may_send();
    if (may == 0) return false;
    auto const range = rounds_.sent(sending_);
    auto const* from = (sending_ == 0 ? local_ : sum_) + range.offset + sent_;
    auto const sent = ring_.right_.send(from, may);
    if (!sent) return sent.error();
    sent_ += *sent;
    if (sent_ == range.bytes) {
      ++sending_;
      begin_sending();
    }
    return *sent > 0;
  }

  Result<bool> receive() {
    if (receiving_ >= rounds_.rounds()) return false;
    auto const range = rounds_.received(receiving_);
    auto const come = rounds_.adds(receiving_) ? receive_and_add(range)
                                               : receive_result(range);
    if (!come) return come.error();
    if (received_ == range.bytes) {
      ++receiving_;
      begin_receiving();
    }
    return *come > 0;
  }

  Result<std::size_t> receive_result(Range range) {
    auto const come = ring_.left_.receive(sum_ + range.offset + received_,
                                          range.bytes - received_);
    if (come) received_ += *come;
    return come;
  }

  Result<std::size_t> receive_and_add(Range range) {
    auto* scratch = ring_.scratch_.data();
    auto const room = std::min(ring_.scratch_.size() - held_,
                               range.bytes - received_ - held_);
    auto const come = ring_.left_.receive(scratch + held_, room);
    if (!come) return come;
    held_ += *come;
    auto const element = size_of(type_);
    auto const whole = held_ / element * element;
    auto const at = range.offset + received_;
    add(type_, sum_ + at, local_ + at, scratch, whole / element);
    received_ += whole;
    held_ -= whole;
    if (whole > 0) std::memmove(scratch, scratch + whole, held_);
    return come;
  }

  RingSum& ring_;
  RingRounds const rounds_;
  std::uint64_t const operation_;
  char const* const local_;
  char* const sum_;
  Element const type_;
  int sending_ = 0, receiving_ = 0;  ///< rounds
  std::size_t sent_ = 0;             ///< of the round that is sent
  std::size_t received_ = 0;         ///< of the one that is received, and added
  std::size_t held_ = 0;             ///< in scratch: part of an element
};

Result<void> RingSum::run(std::uint64_t operation, void const* local, void* sum,
                          std::size_t n, Element type) {
  scratch_.resize(scratch_bytes);
  return Run(*this, operation, RingRounds::Kind::allreduce,
             RingRounds::equal_chunks(size_, n, size_of(type)), local, sum,
             type)
      .run();
}

Result<void> RingSum::reduce_scatter(std::uint64_t operation, void const* local,
                                     void* sum, std::vector<Range> chunks,
                                     Element type) {
  scratch_.resize(scratch_bytes);
  return Run(*this, operation, RingRounds::Kind::reduce_scatter,
             std::move(chunks), local, sum, type)
      .run();
}

Result<void> RingSum::all_gather(std::uint64_t operation, void* data,
                                 std::vector<Range> chunks) {
  return Run(*this, operation, RingRounds::Kind::all_gather, std::move(chunks),
             data, data, Element::int64)
      .run();
}

/// Bytes are sent on as they come.
Result<void> RingSum::spread(std::uint64_t operation, void* data,
                             std::size_t bytes, int root) {
  bool const first = position_ == root;
  bool const last = (position_ + 1) % size_ == root;
  auto* const at = static_cast<char*>(data);
  std::size_t come = first ? bytes : 0, sent = last ? bytes : 0;
  if (!first) left_.begin_receive(operation, 0, bytes);
  if (!last) right_.begin_send(operation, 0, bytes);
  while (come < bytes || sent < bytes) {
    std::size_t moved = 0;
    if (come < bytes) {
      auto const n = left_.receive(at + come, bytes - come);
      if (!n) return n.error();
      come += *n;
      moved += *n;
    }
    if (sent < come) {
      auto const n = right_.send(at + sent, come - sent);
      if (!n) return n.error();
      sent += *n;
      moved += *n;
    }
    if (moved > 0) continue;
    Traffic::Wait const waits[] = {{&right_, short(sent < come ? POLLOUT : 0)},
                                   {&left_, short(come < bytes ? POLLIN : 0)}};
    if (auto waited = traffic_.wait(waits); !waited) return waited;
  }
  return {};
}

std::vector<Range> RingRounds::equal_chunks(int size, std::size_t n,
                                            std::size_t element_bytes) {
  std::vector<Range> chunks;
  for (std::size_t c = 0; c < std::size_t(size); ++c) {
    auto const first = n * c / std::size_t(size);
    auto const last = n * (c + 1) / std::size_t(size);
    chunks.push_back({first * element_bytes, (last - first) * element_bytes});
  }
  return chunks;
}

}  // namespace gleaner::comm::tcp

// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/ring_sum.hh"

#include <algorithm>
#include <cstring>

namespace gleaner::tcp {
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
  Run(RingSum& ring, std::uint64_t operation, void const* local, void* sum,
      std::size_t n, Element type)
      : ring_(ring),
        rounds_(ring.position_, ring.size_, n, size_of(type)),
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

  Result<std::size_t> receive_result(RingRounds::Range range) {
    auto const come = ring_.left_.receive(sum_ + range.offset + received_,
                                          range.bytes - received_);
    if (come) received_ += *come;
    return come;
  }

  Result<std::size_t> receive_and_add(RingRounds::Range range) {
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
  return Run(*this, operation, local, sum, n, type).run();
}

}  // namespace gleaner::tcp

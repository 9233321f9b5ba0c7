// SPDX-License-Identifier: Apache-2.0
/// What a member sends to joiners that follow: the state as it was at one
/// boundary, then its part of each reduction, then what updates do not make.
///
/// The training goes on meanwhile, so nothing is sent from memory that it
/// writes: the state is copied aside (runtime/state/state_snapshot.hh), and so
/// is each reduction.  When too much waits for a joiner that cannot keep up,
/// the feed fails.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "runtime/generation/session.hh"
#include "runtime/member/data_service.hh"
#include "runtime/state/gradients.hh"
#include "runtime/state/registry.hh"
#include "runtime/state/state_snapshot.hh"

namespace gleaner::member {

/// Member `stripe` of `stripes` feeds this part of a bucket's sums.
state::Span part_of(state::Gradients::Bucket const& bucket,
                    std::uint32_t stripe, std::uint32_t stripes);

class Feeder {
 public:
  Feeder(DataService::Permit permit, generation::session::PrepareFeed action,
         state::Registry const& registry, state::Gradients const& gradients);

  msg::Generation generation() const { return action_.generation; }
  /// It sends the header, blobs and buffers.
  bool is_first() const { return action_.stripe == 0; }

  /// Get the room for the state; takes a while.
  void provide();

  /// At the boundary, on the user's thread, before run().  `header` is of a
  /// StateHeader; only the first has one.  Fails with io: no memory.
  Result<void> begin(std::string header);

  /// On a thread of its own: until all is sent, or stop().  Fails with
  /// unavailable when a joiner is gone, with timed_out when it is too slow.
  Result<void> run(DataService& data);
  void stop();

  // What follows does nothing before begin().

  /// The registered state is about to change.
  void keep_state();
  /// Bucket `i` of the step is reduced.
  void reduced(std::size_t i, msg::Step step,
               state::Gradients::Bucket const& bucket);
  /// The whole step is reduced.
  void reduced(msg::Reduced const& step);
  /// The switch: blobs in `header`, and this member's buffers.
  void end(std::string header, std::vector<state::Span> const& buffers);

 private:
  using Item = std::variant<std::string, msg::Reduced>;

  Result<void> send_state(std::vector<DataService::Joiner> const& joiners);
  Result<void> send_items(std::vector<DataService::Joiner> const& joiners);
  std::string copy_of(state::Span const& part);
  void add(Item item);

  DataService::Permit const permit_;
  generation::session::PrepareFeed const action_;
  std::size_t part_bytes_ = 0;  ///< of each reduction, to each joiner
  std::string header_;

  std::mutex mutex_;  ///< for what follows
  std::condition_variable changed_;
  std::shared_ptr<state::StateSnapshot> state_;  ///< until it is sent
  std::deque<Item> items_;
  std::vector<std::string> spare_;  ///< room that was sent from
  std::size_t waiting_bytes_ = 0;
  std::uint32_t waiting_steps_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  bool stopped_ = false;
};

}  // namespace gleaner::member

// SPDX-License-Identifier: Apache-2.0
#include "runtime/member/feeder.hh"

#include <algorithm>

#include "proto/frame.hh"
#include "runtime/state/state_portions.hh"

namespace gleaner::member {
namespace {

constexpr std::size_t waiting_bytes_max = std::size_t{1} << 30;
constexpr std::size_t spare_max = 16;
constexpr std::size_t spare_bytes_min = 64 << 10;  // less is cheap to get

std::string frame_of(msg::ToPeer const& message) {
  return proto::encode_frame(msg::to_json(message));
}

/// To all of them, so that the slowest does not matter.
Result<void> send_to(std::vector<DataService::Joiner> const& joiners,
                     std::string& bytes) {
  std::vector<state::Stream> streams;
  for (auto const& joiner : joiners)
    streams.push_back({joiner.connection.socket(),
                       state::Stream::Direction::send,
                       {{bytes.data(), bytes.size()}}});
  state::move_all(streams);
  for (auto const& stream : streams)
    if (!stream.done) return stream.done;
  return {};
}

std::shared_ptr<state::StateSnapshot> room_for(
    generation::session::PrepareFeed const& action,
    state::Registry const& registry) {
  auto const joiners = int(action.joiners.size());
  state::StatePortions const portions(registry, int(action.stripes), joiners);
  std::vector<std::vector<state::Span>> parts;
  for (int j = 0; j < joiners; ++j)
    parts.push_back(portions.from_donor(j, int(action.stripe)));
  return std::make_shared<state::StateSnapshot>(parts);
}

}  // namespace

state::Span part_of(state::Gradients::Bucket const& bucket,
                    std::uint32_t stripe, std::uint32_t stripes) {
  auto const begin = [&](std::size_t i) {
    return (bucket.n / stripes * i + bucket.n % stripes * i / stripes) *
           comm::size_of(bucket.type);
  };
  return {static_cast<char*>(bucket.sum) + begin(stripe),
          begin(stripe + 1) - begin(stripe)};
}

Feeder::Feeder(DataService::Permit permit,
               generation::session::PrepareFeed action,
               state::Registry const& registry,
               state::Gradients const& gradients)
    : permit_(permit),
      action_(std::move(action)),
      state_(room_for(action_, registry)) {
  for (std::size_t i = 0; i < gradients.buckets(); ++i)
    part_bytes_ +=
        part_of(gradients.bucket(i, 1), action_.stripe, action_.stripes).bytes;
}

void Feeder::provide() {
  std::shared_ptr<state::StateSnapshot> state;
  {
    std::lock_guard lock(mutex_);
    state = state_;
  }
  if (state && state->good()) state->provide();
}

Result<void> Feeder::begin(std::string header) {
  if (!state_->good())
    return Error{Errc::io, "no memory for a copy of the state"};
  header_ = std::move(header);
  std::lock_guard lock(mutex_);
  begun_ = true;
  return {};
}

void Feeder::keep_state() {
  std::shared_ptr<state::StateSnapshot> state;
  {
    std::lock_guard lock(mutex_);
    if (begun_) state = state_;
  }
  if (state) state->copy();
}

Result<void> Feeder::run(DataService& data) {
  keep_state();
  auto const joiners = data.wait_for(permit_, action_.joiners);
  if (joiners.size() < action_.joiners.size())
    return Error{Errc::unavailable, "a joiner did not ask for the state"};
  if (auto sent = send_state(joiners); !sent) return sent;
  {
    std::lock_guard lock(mutex_);
    state_.reset();
  }
  return send_items(joiners);
}

Result<void> Feeder::send_state(
    std::vector<DataService::Joiner> const& joiners) {
  std::deque<std::string> frames;
  std::vector<state::Stream> streams;
  for (auto const& joiner : joiners) {
    auto const* pull = std::get_if<msg::PullState>(&joiner.request);
    auto const rank = std::find(action_.joiners.begin(), action_.joiners.end(),
                                pull ? pull->member : 0) -
                      action_.joiners.begin();
    if (!pull || rank == std::ptrdiff_t(action_.joiners.size()) ||
        pull->stripes != action_.stripes * action_.joiners.size() ||
        pull->stripe != std::uint32_t(rank) * action_.stripes + action_.stripe)
      return Error{Errc::invalid_argument,
                   "a joiner asks for another part of the state"};
    auto const& part = state_->part(std::size_t(rank));
    frames.push_back(
        frame_of(msg::Bulk{header_.size(), state::total_bytes(part)}));
    std::vector<state::Span> spans = {
        {frames.back().data(), frames.back().size()},
        {header_.data(), header_.size()}};
    spans.insert(spans.end(), part.begin(), part.end());
    streams.push_back({joiner.connection.socket(),
                       state::Stream::Direction::send, std::move(spans)});
  }
  state::move_all(streams);
  for (auto const& stream : streams)
    if (!stream.done) return stream.done;
  return {};
}

Result<void> Feeder::send_items(
    std::vector<DataService::Joiner> const& joiners) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || ended_ || !items_.empty(); });
    if (stopped_) return Error{Errc::unavailable, "the feed was ended"};
    if (waiting_bytes_ > waiting_bytes_max)
      return Error{Errc::timed_out, "a joiner cannot keep up"};
    if (items_.empty()) return {};
    auto item = std::move(items_.front());
    items_.pop_front();
    std::string bytes;
    if (auto* step = std::get_if<msg::Reduced>(&item)) {
      step->waiting = --waiting_steps_;
      bytes = frame_of(*step);
    } else {
      bytes = std::move(std::get<std::string>(item));
      waiting_bytes_ -= bytes.size();
    }
    lock.unlock();
    if (auto sent = send_to(joiners, bytes); !sent) return sent;
    lock.lock();
    if (bytes.capacity() >= spare_bytes_min && spare_.size() < spare_max)
      spare_.push_back(std::move(bytes));
  }
}

/// In room that was used before, if any: new memory costs as much as the copy.
std::string Feeder::copy_of(state::Span const& part) {
  std::string bytes;
  {
    std::lock_guard lock(mutex_);
    auto const large_enough = std::find_if(
        spare_.begin(), spare_.end(),
        [&](auto const& room) { return room.capacity() >= part.bytes; });
    if (large_enough != spare_.end()) {
      bytes = std::move(*large_enough);
      spare_.erase(large_enough);
    }
  }
  bytes.assign(part.data, part.bytes);
  return bytes;
}

/// When too much waits already, the sender is told, and will fail.
void Feeder::add(Item item) {
  std::lock_guard lock(mutex_);
  if (stopped_ || ended_ || waiting_bytes_ > waiting_bytes_max) return;
  if (auto const* bytes = std::get_if<std::string>(&item))
    waiting_bytes_ += bytes->size();
  else
    ++waiting_steps_;
  items_.push_back(std::move(item));
  changed_.notify_all();
}

void Feeder::reduced(std::size_t i, msg::Step step,
                     state::Gradients::Bucket const& bucket) {
  {
    std::lock_guard lock(mutex_);
    if (!begun_) return;
  }
  if (i == 0) add(frame_of(msg::Reduction{step, part_bytes_}));
  add(copy_of(part_of(bucket, action_.stripe, action_.stripes)));
}

void Feeder::reduced(msg::Reduced const& step) {
  {
    std::lock_guard lock(mutex_);
    if (!begun_) return;
  }
  add(step);
}

void Feeder::end(std::string header, std::vector<state::Span> const& buffers) {
  auto bytes = frame_of(msg::Bulk{header.size(), state::total_bytes(buffers)});
  bytes += header;
  for (auto const& span : buffers) bytes.append(span.data, span.bytes);
  add(std::move(bytes));
  std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Feeder::stop() {
  std::shared_ptr<state::StateSnapshot> state;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    state = state_;
    changed_.notify_all();
  }
  if (state) state->stop();
}

}  // namespace gleaner::member

// SPDX-License-Identifier: Apache-2.0
#include "runtime/member/following.hh"

#include <poll.h>

#include <algorithm>

#include "proto/frame.hh"
#include "runtime/member/feeder.hh"

namespace gleaner::member {
namespace {

Error contradiction(std::string const& what) {
  return {Errc::invalid_argument, "donors feed " + what};
}

/// One message from each donor, all of one kind.
Result<std::vector<msg::ToPeer>> receive_from_all(StateSources const& sources) {
  std::vector<msg::ToPeer> messages;
  for (auto const& donor : sources.donors) {
    auto json = state::receive_frame(*donor.socket());
    if (!json) return json.error();
    auto message = msg::parse_to_peer(*json);
    if (!message) return message.error();
    if (!messages.empty() && message->index() != messages.front().index())
      return contradiction("different things");
    messages.push_back(std::move(*message));
  }
  return messages;
}

Result<void> receive_all(std::vector<state::Stream>& streams) {
  state::move_all(streams);
  for (auto const& stream : streams)
    if (!stream.done) return stream.done;
  return {};
}

Result<void> receive_parts(StateSources const& sources,
                           state::Gradients const& gradients,
                           std::vector<msg::ToPeer> const& announced) {
  auto const stripes = std::uint32_t(announced.size());
  auto const first = std::get<msg::Reduction>(announced.front());
  std::vector<state::Stream> streams;
  for (std::uint32_t k = 0; k < stripes; ++k) {
    auto const one = std::get<msg::Reduction>(announced[k]);
    std::vector<state::Span> spans;
    for (std::size_t i = 0; i < gradients.buckets(); ++i)
      spans.push_back(part_of(gradients.bucket(i, one.step), k, stripes));
    if (one.step != first.step || one.bytes != state::total_bytes(spans))
      return contradiction("parts of different reductions");
    streams.push_back({sources.donors[k].socket(),
                       state::Stream::Direction::receive, std::move(spans)});
  }
  return receive_all(streams);
}

Result<FollowedStep> receive_step(StateSources const& sources,
                                  state::Gradients const& gradients,
                                  std::vector<msg::ToPeer> const& announced) {
  auto const step = std::get<msg::Reduction>(announced.front()).step;
  if (auto got = receive_parts(sources, gradients, announced); !got)
    return got.error();
  FollowedStep next;
  next.is_newest = !more_waits(sources);
  auto const reduced = receive_from_all(sources);
  if (!reduced) return reduced.error();
  for (auto const& message : *reduced) {
    auto const* one = std::get_if<msg::Reduced>(&message);
    if (!one) return contradiction("something else than a reduction");
    if (one == std::get_if<msg::Reduced>(&reduced->front()))
      next.reduced = *one;
    if (one->step != step || one->scale != next.reduced.scale)
      return contradiction("different steps");
    next.is_newest = next.is_newest && one->waiting == 0;
  }
  return next;
}

Result<state::StateHeader> receive_end(
    StateSources const& sources, state::Registry const& registry,
    std::vector<msg::ToPeer> const& announced) {
  std::string header;
  std::vector<state::Stream> streams;
  for (std::size_t k = 0; k < announced.size(); ++k) {
    auto const bulk = std::get<msg::Bulk>(announced[k]);
    auto spans = buffers_fed(registry, std::uint32_t(k));
    if (bulk.bytes != state::total_bytes(spans) ||
        bulk.header_bytes > proto::frame_bytes_max * 16ull)
      return contradiction("other buffers than are registered here");
    if (k == 0) {
      header.resize(bulk.header_bytes);
      spans.insert(spans.begin(), state::Span{header.data(), header.size()});
    }
    streams.push_back({sources.donors[k].socket(),
                       state::Stream::Direction::receive, std::move(spans)});
  }
  if (auto got = receive_all(streams); !got) return got.error();
  return state::StateHeader::parse(header);
}

}  // namespace

bool more_waits(StateSources const& sources) {
  std::vector<pollfd> waiting;
  for (auto const& donor : sources.donors)
    waiting.push_back({donor.socket()->fd(), POLLIN, 0});
  return ::poll(waiting.data(), waiting.size(), 0) == int(waiting.size());
}

Result<std::variant<FollowedStep, state::StateHeader>> receive_next(
    StateSources const& sources, state::Gradients const& gradients,
    state::Registry const& registry) {
  using Next = std::variant<FollowedStep, state::StateHeader>;
  auto const announced = receive_from_all(sources);
  if (!announced) return announced.error();
  auto const& first = announced->front();
  if (std::holds_alternative<msg::Bulk>(first)) {
    auto header = receive_end(sources, registry, *announced);
    if (!header) return header.error();
    return Next(std::move(*header));
  }
  if (!std::holds_alternative<msg::Reduction>(first))
    return contradiction("something else than a reduction");
  auto step = receive_step(sources, gradients, *announced);
  if (!step) return step.error();
  return Next(*step);
}

std::vector<state::Span> buffers_fed(state::Registry const& registry,
                                     std::uint32_t stripe) {
  std::vector<state::Span> spans;
  for (auto const& tensor : registry.tensors())
    if (stripe == 0 && tensor.role == state::Role::buffer)
      spans.push_back({static_cast<char*>(tensor.data), tensor.bytes()});
  return spans;
}

}  // namespace gleaner::member

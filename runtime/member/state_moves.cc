// SPDX-License-Identifier: Apache-2.0
#include "runtime/member/state_moves.hh"

#include <deque>

#include "core/clock.hh"
#include "proto/frame.hh"
#include "runtime/os/memory_pages.hh"
#include "runtime/state/state_portions.hh"

namespace gleaner::member {
namespace {

constexpr double connect_s = 10;

state::Span span_of(std::string& text) { return {text.data(), text.size()}; }

std::string announce(std::size_t header_bytes, std::size_t bytes) {
  return proto::encode_frame(
      msg::to_json(msg::ToPeer(msg::Bulk{header_bytes, bytes})));
}

/// The answer to a request, of which `bytes` bytes are expected.
Result<msg::Bulk> receive_bulk(DataService::Connection const& connection,
                               std::size_t bytes) {
  auto json =
      state::receive_frame(*connection.socket(), connection.silence_s());
  if (!json) return json.error();
  auto message = msg::parse_to_peer(*json);
  if (!message) return message.error();
  if (auto const* refused = std::get_if<msg::Refused>(&*message))
    return Error{Errc::denied, "refused: " + refused->why};
  auto const bulk = std::get<msg::Bulk>(*message);
  if (bulk.bytes != bytes)
    return Error{Errc::invalid_argument,
                 "a donor sends " + std::to_string(bulk.bytes) +
                     " bytes, expected " + std::to_string(bytes) +
                     " (it registered other tensors)"};
  return bulk;
}

}  // namespace

Result<void> serve_state(DataService& data, DataService::Permit const& permit,
                         generation::session::ServeState const& action,
                         state::Registry const& registry,
                         std::string const& schema) {
  std::string header;
  if (action.stripe == 0) {
    auto blobs = registry.save_blobs();
    if (!blobs) {
      data.abort(permit.generation);  // the joiners see it fail
      return blobs.error();
    }
    header = state::StateHeader{schema, action.header, *blobs}.to_text();
  }
  auto const askers = data.wait_for(permit, action.joiners);
  state::StatePortions const portions(registry, int(action.stripes),
                                      int(action.joiners.size()));
  std::deque<std::string> frames;  // stay where they are
  std::vector<state::Stream> streams;
  for (std::size_t j = 0; j < action.joiners.size(); ++j) {
    auto const piece = portions.from_donor(int(j), int(action.stripe));
    auto const number = portions.piece(int(j), int(action.stripe));
    for (auto const& asker : askers) {
      auto const* pull = std::get_if<msg::PullState>(&asker.request);
      if (!pull || pull->member != action.joiners[j] ||
          pull->stripe != std::uint32_t(number) ||
          pull->stripes != std::uint32_t(portions.pieces()))
        continue;
      frames.push_back(announce(header.size(), state::total_bytes(piece)));
      std::vector<state::Span> spans = {span_of(frames.back()),
                                        span_of(header)};
      spans.insert(spans.end(), piece.begin(), piece.end());
      streams.push_back({asker.connection.socket(),
                         state::Stream::Direction::send, std::move(spans)});
      streams.back().silence_s = asker.connection.silence_s();
    }
  }
  state::move_all(streams);
  return {};
}

Result<StateSources> ask_for_state(
    DataService& data, DataService::Permit const& permit,
    generation::session::FetchState const& action, msg::MemberId self,
    state::Registry const& registry) {
  StateSources sources;
  while (action.joiners[std::size_t(sources.self)].member != self)
    ++sources.self;
  auto const donors = int(action.donors.size());
  state::StatePortions const portions(registry, donors,
                                      int(action.joiners.size()));
  for (int i = 0; i < donors; ++i) {
    auto const piece = std::uint32_t(portions.piece(sources.self, i));
    auto connection =
        data.ask(permit, action.donors[std::size_t(i)].data_address,
                 msg::PullState{action.generation, self, piece,
                                std::uint32_t(portions.pieces())},
                 connect_s);
    if (!connection) return connection.error();
    sources.donors.push_back(std::move(*connection));
  }
  for (auto const& joiner : action.joiners) {
    if (joiner.member == self) continue;
    auto connection =
        data.ask(permit, joiner.data_address,
                 msg::PullPortion{action.generation, self}, connect_s);
    if (!connection) return connection.error();
    sources.joiners.push_back(std::move(*connection));
    sources.others.push_back(joiner.member);
  }
  for (auto const& tensor : registry.tensors())
    os::provide_pages(tensor.data, tensor.bytes());
  return sources;
}

namespace {

/// Take what the donors announce; the header comes with the first one's.
Result<std::vector<state::Stream>> streams_from_donors(
    StateSources const& sources, state::StatePortions const& portions,
    std::string& header) {
  std::vector<state::Stream> streams;
  for (std::size_t i = 0; i < sources.donors.size(); ++i) {
    auto spans = portions.from_donor(sources.self, int(i));
    auto bulk = receive_bulk(sources.donors[i], state::total_bytes(spans));
    if (!bulk) return bulk.error();
    if (i == 0) {
      if (bulk->header_bytes > proto::frame_bytes_max * 16ull)
        return Error{Errc::invalid_argument, "the state's blobs are too large"};
      header.resize(bulk->header_bytes);
      spans.insert(spans.begin(), span_of(header));
    }
    streams.push_back({sources.donors[i].socket(),
                       state::Stream::Direction::receive, std::move(spans)});
    streams.back().silence_s = sources.donors[i].silence_s();
  }
  return streams;
}

}  // namespace

Result<FetchedState> fetch_state(DataService& data,
                                 DataService::Permit const& permit,
                                 StateSources const& sources,
                                 state::Registry const& registry,
                                 std::string const& schema) {
  auto const joiners = int(sources.others.size()) + 1;
  state::StatePortions const portions(registry, int(sources.donors.size()),
                                      joiners);
  std::string header;
  auto streams = streams_from_donors(sources, portions, header);
  if (!streams) return streams.error();
  auto const began_s = SystemClock().monotonic_s();
  for (std::size_t k = 0; k < sources.joiners.size(); ++k) {
    auto const rank = int(k) < sources.self ? int(k) : int(k) + 1;
    streams->push_back({sources.joiners[k].socket(),
                        state::Stream::Direction::receive,
                        portions.relay(rank).spans});
    streams->back().silence_s = sources.joiners[k].silence_s();
  }
  auto const receiving = streams->size();
  auto own = portions.relay(sources.self);
  for (auto& need : own.needs)
    if (need.stream == 0) need.bytes += header.size();
  // Who goes away is not waited for, and its loss is not this member's.
  auto const askers = data.wait_for(permit, sources.others);
  for (auto const& asker : askers)
    if (std::holds_alternative<msg::PullPortion>(asker.request))
      streams->push_back({asker.connection.socket(),
                          state::Stream::Direction::send,
                          own.spans,
                          {},
                          own.needs,
                          asker.connection.silence_s()});
  state::move_all(*streams);
  for (std::size_t i = 0; i < receiving; ++i)
    if (!(*streams)[i].done) return (*streams)[i].done.error();
  auto state = state::StateHeader::parse(header);
  if (!state) return state.error();
  if (state->schema != schema)
    return Error{Errc::invalid_argument,
                 "the donor registered other tensors, or has other options"};
  return FetchedState{std::move(*state), SystemClock().monotonic_s() - began_s};
}

void serve_reduction(DataService::Connection const& connection,
                     std::vector<state::Span> reduction) {
  auto frame = announce(0, state::total_bytes(reduction));
  reduction.insert(reduction.begin(), span_of(frame));
  std::vector<state::Stream> stream = {{connection.socket(),
                                        state::Stream::Direction::send,
                                        std::move(reduction)}};
  stream[0].silence_s = connection.silence_s();
  state::move_all(stream);
}

Result<std::vector<char>> fetch_reduction(
    DataService& data, DataService::Permit const& permit,
    generation::session::FetchReduction const& action, std::size_t bytes) {
  auto connection =
      data.ask(permit, action.donor.data_address,
               msg::PullReduction{action.generation, action.step}, connect_s);
  if (!connection) return connection.error();
  auto bulk = receive_bulk(*connection, bytes);
  if (!bulk) return bulk.error();
  std::vector<char> reduction(bytes);
  std::vector<state::Stream> stream = {{connection->socket(),
                                        state::Stream::Direction::receive,
                                        {{reduction.data(), bytes}}}};
  stream[0].silence_s = connection->silence_s();
  state::move_all(stream);
  if (!stream[0].done) return stream[0].done.error();
  return reduction;
}

}  // namespace gleaner::member

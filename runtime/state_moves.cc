// SPDX-License-Identifier: Apache-2.0
#include "runtime/state_moves.hh"

#include "proto/frame.hh"

namespace gleaner {
namespace {

constexpr double connect_s = 10;

Span span_of(std::string& text) { return {text.data(), text.size()}; }

std::string announce(std::size_t header_bytes, std::size_t bytes) {
  return encode_frame(
      msg::to_json(msg::ToPeer(msg::Bulk{header_bytes, bytes})));
}

/// The answer to a request, of which `bytes` bytes are expected.
Result<msg::Bulk> receive_bulk(DataService::Connection const& connection,
                               std::size_t bytes) {
  auto json = receive_frame(connection.fd());
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
                         session::ServeState const& action,
                         Registry const& registry, std::string const& schema) {
  std::string header;
  if (action.stripe == 0) {
    auto blobs = registry.save_blobs();
    if (!blobs) {
      data.abort(permit.generation);  // the joiners see it fail
      return blobs.error();
    }
    header = StateHeader{schema, action.header, *blobs}.to_text();
  }
  auto const stripe = registry.stripe(int(action.stripe), int(action.stripes));
  auto frame = announce(header.size(), total_bytes(stripe));
  std::vector<Span> spans = {span_of(frame), span_of(header)};
  spans.insert(spans.end(), stripe.begin(), stripe.end());

  auto const joiners = data.wait_for(permit, action.joiners);
  std::vector<Stream> streams;
  for (auto const& joiner : joiners)
    if (joiner.request.stripe == action.stripe &&
        joiner.request.stripes == action.stripes)
      streams.push_back(
          {joiner.connection.fd(), Stream::Direction::send, spans, {}});
  move_all(streams);
  return {};
}

Result<StateHeader> fetch_state(DataService& data,
                                DataService::Permit const& permit,
                                session::FetchState const& action,
                                msg::MemberId self, Registry const& registry,
                                std::string const& schema) {
  auto const n = std::uint32_t(action.donors.size());
  std::vector<DataService::Connection> connections;
  for (std::uint32_t i = 0; i < n; ++i) {
    auto connection =
        data.ask(permit, action.donors[i].data_address,
                 msg::PullState{action.generation, self, i, n}, connect_s);
    if (!connection) return connection.error();
    connections.push_back(std::move(*connection));
  }
  std::string header;
  std::vector<Stream> streams;
  for (std::uint32_t i = 0; i < n; ++i) {
    auto spans = registry.stripe(int(i), int(n));
    auto bulk = receive_bulk(connections[i], total_bytes(spans));
    if (!bulk) return bulk.error();
    if (i == 0) {
      if (bulk->header_bytes > frame_bytes_max * 16ull)
        return Error{Errc::invalid_argument, "the state's blobs are too large"};
      header.resize(bulk->header_bytes);
      spans.insert(spans.begin(), span_of(header));
    }
    streams.push_back({connections[i].fd(),
                       Stream::Direction::receive,
                       std::move(spans),
                       {}});
  }
  move_all(streams);
  for (auto const& stream : streams)
    if (!stream.done) return stream.done.error();
  auto state = StateHeader::parse(header);
  if (state && state->schema != schema)
    return Error{Errc::invalid_argument,
                 "the donor registered other tensors, or has other options"};
  return state;
}

void serve_reduction(DataService::Connection const& connection,
                     std::vector<Span> reduction) {
  auto frame = announce(0, total_bytes(reduction));
  reduction.insert(reduction.begin(), span_of(frame));
  std::vector<Stream> stream = {
      {connection.fd(), Stream::Direction::send, std::move(reduction), {}}};
  move_all(stream);
}

Result<std::vector<char>> fetch_reduction(DataService& data,
                                          DataService::Permit const& permit,
                                          session::FetchReduction const& action,
                                          std::size_t bytes) {
  auto connection =
      data.ask(permit, action.donor.data_address,
               msg::PullReduction{action.generation, action.step}, connect_s);
  if (!connection) return connection.error();
  auto bulk = receive_bulk(*connection, bytes);
  if (!bulk) return bulk.error();
  std::vector<char> reduction(bytes);
  std::vector<Stream> stream = {{connection->fd(),
                                 Stream::Direction::receive,
                                 {{reduction.data(), bytes}},
                                 {}}};
  move_all(stream);
  if (!stream[0].done) return stream[0].done.error();
  return reduction;
}

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// What holds for every message: read, written and read again it is the same,
/// and a refusal says of which type and field.
#pragma once

#include <nlohmann/json.hpp>

#include "core/result.hh"
#include "proto/frame.hh"
#include "test/fuzz/target.hh"

namespace gleaner::fuzz {

/// A message as it comes off the wire; none: the frame is refused before.
inline std::optional<nlohmann::json> as_message(std::string_view text) {
  std::string stream;
  for (int shift = 24; shift >= 0; shift -= 8)
    stream += static_cast<char>(text.size() >> shift & 0xff);
  stream += text;
  proto::FrameReader reader;
  reader.append(stream);
  auto const next = reader.next();
  if (!next || !*next) return std::nullopt;
  return **next;
}

template <class Message>
void check_round_trip(nlohmann::json const& json,
                      Result<Message> (*parse)(nlohmann::json const&)) {
  auto const message = parse(json);
  if (!message) {
    must(!message.error().message.empty(), "a refusal says why");
    must(message.error().message.size() < 4096, "a refusal is short");
    return;
  }
  auto const written = to_json(*message);
  auto const again = parse(written);
  must(bool(again), "what is written can be read");
  must(to_json(*again).dump(-1, ' ', false,
                            nlohmann::json::error_handler_t::replace) ==
           written.dump(-1, ' ', false,
                        nlohmann::json::error_handler_t::replace),
       "read, written and read again it is the same");
}

}  // namespace gleaner::fuzz

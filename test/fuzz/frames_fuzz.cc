// SPDX-License-Identifier: Apache-2.0
/// Bytes of a stranger: cut into messages, or refused, in whatever pieces they
/// come.
#include "proto/frame.hh"
#include "proto/frame_seal.hh"
#include "proto/secret.hh"
#include "test/fuzz/target.hh"

namespace gleaner::fuzz {
namespace {

/// What a reader makes of the stream in pieces of `piece` bytes.
std::string read(std::string_view stream, std::size_t piece,
                 std::uint32_t bytes_max) {
  proto::FrameReader reader;
  reader.limit(bytes_max);
  std::string seen;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    reader.append(stream.substr(at, piece));
    for (;;) {
      auto const next = reader.next();
      if (!next) return seen + "! " + next.error().message;
      if (!*next) break;
      must((*next)->is_object(), "what is handed out is an object");
      auto const text = (*next)->dump(-1, ' ', false,
                                      nlohmann::json::error_handler_t::replace);
      seen += text + '\n';
      proto::FrameReader again;
      again.append(proto::encode_frame(**next));
      auto const same = again.next();
      must(same && *same && (**same).dump() == text,
           "what was read can be written and read again");
    }
  }
  return seen;
}

}  // namespace

void check(std::string_view input) {
  for (auto const bytes_max :
       {proto::handshake_bytes_max, proto::frame_bytes_max}) {
    auto const whole = read(input, input.size() + 1, bytes_max);
    must(read(input, 1, bytes_max) == whole, "pieces of 1 byte: the same");
    must(read(input, 7, bytes_max) == whole, "pieces of 7 bytes: the same");
  }
  // Nobody without the key gets a frame through.
  proto::FrameReader sealed;
  proto::FrameSeal theirs("a key");
  sealed.expect_seals(proto::seal_bytes, [&](auto text, auto seal) {
    // As the product does.  libFuzzer reads what == compares, and so learns
    // the seal.
    return proto::equal_secret(theirs.next(text), seal);
  });
  sealed.append(input);
  auto const next = sealed.next();
  must(!next || !*next, "no frame passes without its seal");
}

}  // namespace gleaner::fuzz

// SPDX-License-Identifier: Apache-2.0
/// How messages are cut from a stream, and what ends a stream.
#include "proto/frame.hh"

#include "test/unit/catch.hh"

namespace gleaner {
namespace {

using namespace std::string_literals;

TEST_CASE("a frame is four bytes of length and the JSON text") {
  CHECK(encode_frame({{"type", "Finish"}}) ==
        "\0\0\0\x11{\"type\":\"Finish\"}"s);
}

TEST_CASE("a reader gives whole messages, whatever the pieces") {
  auto const stream =
      encode_frame({{"a", 1}}) + encode_frame({{"b", "x"}}) + "\0\0"s;
  auto const piece = GENERATE(1u, 3u, 7u, 100u);
  FrameReader reader;
  std::string seen;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    reader.append(std::string_view(stream).substr(at, piece));
    for (auto next = reader.next(); next && *next; next = reader.next())
      seen += (**next).dump();
  }
  CHECK(seen == R"({"a":1}{"b":"x"})");
}

TEST_CASE("a reader refuses what is no frame") {
  struct Row {
    std::string bytes;
    char const* why;
  };
  auto const row =
      GENERATE(Row{"GET / HTTP/1.1\r\n", "does not speak this protocol"},
               Row{"\xff\xff\xff\xff"s, "does not speak this protocol"},
               Row{"\0\0\0\x02no"s, "no JSON object"},
               Row{"\0\0\0\0"s, "no JSON object"},
               Row{"\0\0\0\x02[]"s, "no JSON object"});
  FrameReader reader;
  reader.append(row.bytes);
  auto const next = reader.next();
  REQUIRE_FALSE(next);
  CHECK(next.error().message.find(row.why) != std::string::npos);
}

TEST_CASE("text that is not UTF-8 is sent, with what is wrong replaced") {
  CHECK_NOTHROW(encode_frame({{"name", "\xff\xfe"}}));
}

}  // namespace
}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// How messages are cut from a stream, and what ends a stream.
#include "proto/frame.hh"

#include "test/unit/catch.hh"

namespace gleaner::proto {
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

TEST_CASE("a reader takes nothing that is longer than its limit") {
  FrameReader reader;
  reader.limit(10);
  reader.append("\0\0\0\x0b"s);
  auto const next = reader.next();
  REQUIRE_FALSE(next);
  CHECK(next.error().message.find("at most 10") != std::string::npos);
}

TEST_CASE("what is nested too deeply is refused before it is read") {
  auto const deep = GENERATE(33, 1'000'000);
  auto const text = "{\"job\":" + std::string(deep - 1, '[') +
                    std::string(deep - 1, ']') + "}";
  FrameReader reader;
  reader.append(frame_of(text));
  auto const next = reader.next();
  REQUIRE_FALSE(next);
  CHECK(next.error().message.find("nested more than 32 deep") !=
        std::string::npos);
}

TEST_CASE("brackets in texts are not nested, and 32 are accepted") {
  auto const text =
      GENERATE(R"({"a":")" + std::string(100, '[') + R"("})",
               R"({"a":"\"","b":")" + std::string(100, '{') + R"("})",
               R"({"a":)" + std::string(31, '[') + std::string(31, ']') + "}",
               R"({"a":[)" +
                   [] {
                     std::string many;
                     for (int i = 0; i < 100; ++i) many += "[],";
                     return many;
                   }() +
                   "0]}");
  FrameReader reader;
  reader.append(frame_of(text));
  auto const next = reader.next();
  INFO((next ? "" : next.error().message));
  CHECK(next);
}

TEST_CASE("text that is not UTF-8 is sent, with what is wrong replaced") {
  CHECK_NOTHROW(encode_frame({{"name", "\xff\xfe"}}));
}

}  // namespace
}  // namespace gleaner::proto

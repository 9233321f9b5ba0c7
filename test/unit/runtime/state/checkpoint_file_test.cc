// SPDX-License-Identifier: Apache-2.0
/// What a checkpoint brings back, and which files are refused.
#include "runtime/state/checkpoint_file.hh"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

struct Directory {
  std::filesystem::path path;
  Directory() {
    std::string name = "/tmp/gleaner-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string file(char const* name) const { return path / name; }
};

/// Two tensors and what writes them.
struct Program {
  std::vector<float> weight{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> count{9};
  Registry registry;
  std::string schema;

  Program() {
    REQUIRE(registry.add(Tensor{
        "layer.weight", weight.data(), Dtype::float32, {2, 3}, Role::param}));
    REQUIRE(registry.add(
        Tensor{"count", count.data(), Dtype::int64, {}, Role::buffer}));
    schema = registry.schema("options");
  }
  std::uint64_t write(std::string const& path) {
    std::string data;
    for (auto const& span : registry.stripe(0, 1))
      data.append(span.data, span.bytes);
    std::string const binary("\0\xff\n\"", 4);
    auto bytes =
        write_checkpoint(path, registry.tensors(), data.data(),
                         {schema, R"({"step":12})", {{"rng", binary}}});
    REQUIRE(bytes);
    return *bytes;
  }
};

}  // namespace

TEST_CASE("a checkpoint brings back tensors, blobs and the session's header") {
  Directory dir;
  Program before, after;
  auto const bytes = before.write(dir.file("a.safetensors"));
  CHECK(std::filesystem::file_size(dir.file("a.safetensors")) == bytes);
  CHECK(!std::filesystem::exists(dir.file("a.safetensors.tmp")));
  after.weight.assign(6, 0), after.count = {0};
  auto header =
      read_checkpoint(dir.file("a.safetensors"), after.registry, after.schema);
  REQUIRE(header);
  CHECK(after.weight == before.weight);
  CHECK(after.count == before.count);
  CHECK(header->session == R"({"step":12})");
  CHECK(header->blobs.at("rng") == std::string("\0\xff\n\"", 4));
}

TEST_CASE("any safetensors reader finds the tensors by name") {
  Directory dir;
  Program program;
  program.write(dir.file("a"));
  std::ifstream file(dir.file("a"), std::ios::binary);
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), 8);
  CHECK(length % 8 == 0);
  std::string text(length, ' ');
  file.read(text.data(), std::streamsize(length));
  auto const header = nlohmann::json::parse(text);
  CHECK(header.at("layer.weight").at("dtype") == "F32");
  CHECK(header.at("layer.weight").at("shape") == std::vector<int>{2, 3});
  CHECK(header.at("layer.weight").at("data_offsets") ==
        std::vector<int>{0, 24});
  for (auto const& [key, value] : header.at("__metadata__").items())
    CHECK(value.is_string());
}

TEST_CASE("each type has its safetensors name") {
  struct {
    Dtype type;
    char const* name;
    std::size_t bytes;
  } const cases[] = {
      {Dtype::float32, "F32", 4}, {Dtype::float64, "F64", 8},
      {Dtype::int64, "I64", 8},   {Dtype::uint8, "U8", 1},
      {Dtype::float16, "F16", 2}, {Dtype::bfloat16, "BF16", 2},
  };
  for (auto const& type : cases) {
    INFO(type.name);
    Directory dir;
    std::string memory(24, 'x'), data(memory);
    Registry registry;
    auto const n = std::int64_t(memory.size() / type.bytes);
    REQUIRE(
        registry.add(Tensor{"t", memory.data(), type.type, {n}, Role::param}));
    REQUIRE(write_checkpoint(dir.file("a"), registry.tensors(), data.data(),
                             {"s", "{}", {}}));
    std::ifstream file(dir.file("a"), std::ios::binary);
    std::string const text(std::istreambuf_iterator<char>(file), {});
    CHECK(text.find(std::string("\"dtype\":\"") + type.name + '"') !=
          std::string::npos);
    memory.assign(24, 'y');
    REQUIRE(read_checkpoint(dir.file("a"), registry, "s"));
    CHECK(memory == data);
  }
}

TEST_CASE("a file that cannot be the state is refused and changes nothing") {
  Directory dir;
  Program program;
  auto const good = dir.file("good");
  auto const bytes = program.write(good);
  auto const before = program.weight;

  auto const truncated = dir.file("truncated");
  std::filesystem::copy_file(good, truncated);
  std::filesystem::resize_file(truncated, bytes - 1);
  auto const header_only = dir.file("header_only");
  std::filesystem::copy_file(good, header_only);
  std::filesystem::resize_file(header_only, 100);
  std::ofstream(dir.file("empty"));
  std::ofstream(dir.file("text")) << "this is no checkpoint at all, is it?";
  std::ofstream(dir.file("foreign"), std::ios::binary)
      << std::string("\x02\0\0\0\0\0\0\0{}", 10);

  struct {
    char const* file;
    Errc code;
    char const* why;
  } const cases[] = {
      {"missing", Errc::io, "cannot open"},
      {"truncated", Errc::invalid_argument, "is truncated"},
      {"header_only", Errc::invalid_argument, "truncated"},
      {"empty", Errc::invalid_argument, "too short"},
      {"text", Errc::invalid_argument, "not in safetensors form"},
      {"foreign", Errc::invalid_argument, "not written by Gleaner"},
  };
  for (auto const& refused : cases) {
    INFO(refused.file);
    program.weight.assign(6, 7);
    auto header = read_checkpoint(dir.file(refused.file), program.registry,
                                  program.schema);
    REQUIRE(!header);
    CHECK(header.error().code == refused.code);
    CHECK(header.error().message.find(refused.why) != std::string::npos);
    CHECK(header.error().message.find(refused.file) != std::string::npos);
    CHECK(program.weight == std::vector<float>(6, 7));
  }
  auto other = read_checkpoint(good, program.registry, "another schema");
  REQUIRE(!other);
  CHECK(other.error().message.find("another program") != std::string::npos);
}

TEST_CASE("a checkpoint that cannot be written leaves the old one alone") {
  Directory dir;
  Program program;
  std::string data(program.registry.bytes(), 'x');
  auto written = write_checkpoint(dir.file("no/such/directory"),
                                  program.registry.tensors(), data.data(), {});
  REQUIRE(!written);
  CHECK(written.error().code == Errc::io);
  CHECK(written.error().message.find("no/such/directory") != std::string::npos);
}

}  // namespace gleaner::state

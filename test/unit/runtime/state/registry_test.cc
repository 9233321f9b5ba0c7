// SPDX-License-Identifier: Apache-2.0
/// What a program may register, and how the state is cut into stripes.
#include "runtime/state/registry.hh"

#include <cstring>
#include <numeric>

#include "planes/walled_device.hh"
#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

Tensor tensor(std::string name, std::vector<char>& memory,
              std::vector<std::int64_t> shape, Dtype type = Dtype::uint8) {
  return {std::move(name), memory.data(), type, std::move(shape), Role::buffer};
}

}  // namespace

TEST_CASE("stripes are disjoint and cover the state, in order") {
  std::vector<char> a(1000), b(1), c(77);
  Registry registry;
  REQUIRE(registry.add(tensor("a", a, {10, 100})));
  REQUIRE(registry.add(tensor("b", b, {})));
  REQUIRE(registry.add(tensor("none", b, {0, 4})));
  REQUIRE(registry.add(tensor("c", c, {77})));
  CHECK(registry.bytes() == 1078);
  for (int n : {1, 2, 3, 7, 1078, 2000}) {
    INFO(n << " stripes");
    std::fill(a.begin(), a.end(), 0);
    std::fill(b.begin(), b.end(), 0);
    std::fill(c.begin(), c.end(), 0);
    std::size_t bytes = 0;
    for (int i = 0; i < n; ++i)
      for (auto const& span : registry.stripe(i, n)) {
        bytes += span.bytes;
        for (std::size_t k = 0; k < span.bytes; ++k) ++span.data[k];
      }
    CHECK(bytes == registry.bytes());
    CHECK(std::accumulate(a.begin(), a.end(), 0) == 1000);
    CHECK(std::count(c.begin(), c.end(), 1) == 77);
    CHECK(b[0] == 1);
  }
}

TEST_CASE("what cannot be registered is refused with its name") {
  std::vector<char> a(16);
  Registry registry;
  REQUIRE(registry.add(tensor("a", a, {4, 4})));
  auto const huge = std::int64_t(1) << 40;
  struct {
    Tensor tensor;
    char const* why;
  } const cases[] = {
      {tensor("a", a, {16}), "the name is taken"},
      {tensor("", a, {16}), "it has no name"},
      {tensor("b", a, {-1}), "a dimension is negative"},
      {tensor("b", a, {huge, huge}), "it is too large"},
      {{"b", nullptr, Dtype::uint8, {1}, Role::buffer}, "data is NULL"},
      {{"b", a.data(), Dtype(9), {1}, Role::buffer}, "unknown dtype"},
      {{"b", a.data(), Dtype::uint8, {1}, Role(0)}, "unknown role"},
  };
  for (auto const& refused : cases) {
    auto added = registry.add(refused.tensor);
    INFO(refused.why);
    REQUIRE(!added);
    CHECK(added.error().message.find(refused.why) != std::string::npos);
    CHECK(added.error().message.find("'" + refused.tensor.name + "'") !=
          std::string::npos);
  }
  CHECK(registry.bytes() == 16);
}

TEST_CASE("the schema tells programs apart that cannot share a state") {
  std::vector<char> memory(64);
  auto schema_of = [&](std::vector<Tensor> const& tensors,
                       std::string const& options = "64 8") {
    Registry registry;
    for (auto const& t : tensors) REQUIRE(registry.add(t));
    return registry.schema(options);
  };
  auto const base = schema_of({tensor("a", memory, {4, 2})});
  CHECK(base == schema_of({tensor("a", memory, {4, 2})}));
  CHECK(base != schema_of({tensor("b", memory, {4, 2})}));
  CHECK(base != schema_of({tensor("a", memory, {2, 4})}));
  CHECK(base != schema_of({tensor("a", memory, {4, 2}, Dtype::float32)}));
  CHECK(base != schema_of({tensor("a", memory, {4, 2})}, "64 16"));
}

TEST_CASE("blobs come back to who saved them, or it is said which is missing") {
  Registry registry;
  std::string loaded;
  REQUIRE(registry.add(Blob{"rng", [] { return Result<std::string>("42"); },
                            [&](std::string const& data) {
                              loaded = data;
                              return Result<void>();
                            }}));
  CHECK(!registry.add(Blob{"rng", {}, {}}));
  auto saved = registry.save_blobs();
  REQUIRE(saved);
  REQUIRE(registry.load_blobs(*saved));
  CHECK(loaded == "42");
  auto missing = registry.load_blobs({});
  REQUIRE(!missing);
  CHECK(missing.error().message.find("'rng'") != std::string::npos);
}

TEST_CASE("a tensor on a device is sent and received through its copy") {
  auto const device = std::make_shared<comm::test::WalledDevice>();
  std::vector<float> const numbers = {1, 2, 3, 4};
  std::vector<float> back(4);
  void* const memory = *device->allocate(16);
  REQUIRE(device->from_host(memory, numbers.data(), 16));
  Registry registry;
  Tensor tensor{"w", nullptr, Dtype::float32, {4}, Role::param, device, memory};
  REQUIRE(registry.add(tensor));
  REQUIRE(registry.pull());
  auto const spans = registry.stripe(0, 1);
  REQUIRE(spans.size() == 1);
  CHECK(std::memcmp(spans[0].data, numbers.data(), 16) == 0);
  std::fill_n(reinterpret_cast<float*>(spans[0].data), 4, 9.f);
  REQUIRE(registry.push());
  REQUIRE(device->to_host(back.data(), memory, 16));
  CHECK(back == std::vector<float>(4, 9.f));

  tensor.name = "none", tensor.on_device = nullptr;
  CHECK(!registry.add(tensor));
}

}  // namespace gleaner::state

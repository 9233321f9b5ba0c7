// SPDX-License-Identifier: Apache-2.0
/// Where gradients and their sums lie, and which of them stay whole.
#include "runtime/state/gradients.hh"

#include <cstring>
#include <set>
#include <vector>

#include "planes/walled_device.hh"
#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

Tensor parameter(std::string name, std::int64_t n,
                 Dtype type = Dtype::float32) {
  static char memory;
  return {std::move(name), &memory, type, {n}, Role::param};
}

/// As a data plane of one member.
void reduce(Gradients& gradients, std::int64_t step, std::size_t first = 0) {
  for (auto i = first; i < gradients.buckets(); ++i) {
    auto const b = gradients.bucket(i, step);
    std::memcpy(b.sum, b.local, b.n * comm::size_of(b.type));
  }
}

}  // namespace

TEST_CASE("every gradient is in exactly one bucket, the last ones first") {
  Gradients gradients;
  std::vector<std::int64_t> const sizes = {3, 5'000'000, 0, 70, 4'000'001};
  std::vector<float*> at;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    at.push_back(static_cast<float*>(
        *gradients.add(parameter("p" + std::to_string(i), sizes[i]))));
  REQUIRE(gradients.seal());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::int64_t k = 0; k < sizes[i]; ++k) at[i][k] = float(i + 1);
  REQUIRE(gradients.set_words({1, 7}));
  CHECK(gradients.buckets() > 3);
  CHECK(gradients.bucket(0, 1).n * 4 <= (1 << 20) + 8);
  // The last element of the last tensor is in bucket 0, right before the words.
  auto const first = gradients.bucket(0, 1);
  auto const* end = static_cast<float const*>(first.local) + first.n;
  CHECK(end[-1] == 7);
  CHECK(end[-2] == 1);

  reduce(gradients, 1);
  CHECK(gradients.words(1)->samples == 7);
  REQUIRE(gradients.take_result(1, 0.5));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::int64_t k = 0; k < sizes[i]; ++k)
      wrong += at[i][k] != float(i + 1) / 2;
  CHECK(wrong == 0);
}

TEST_CASE("it is known which buckets hold a parameter's gradient") {
  Gradients gradients;
  for (auto const& [name, n] :
       {std::pair{"a", 4'000'000}, {"none", 0}, {"b", 200'000}, {"c", 100'000}})
    REQUIRE(gradients.add(parameter(name, n)));
  REQUIRE(gradients.seal());
  // Of 4-byte floats, the last 262,144 are bucket 0, then 2,621,440 each.
  CHECK(gradients.buckets() == 3);
  CHECK(
      gradients.parts() ==
      Readiness::Parts{{"a", {1, 2}}, {"b", {0, 1}}, {"c", {0}}, {"none", {}}});
}

TEST_CASE(
    "the result of a step is whole until the next one's first bucket is") {
  Gradients gradients;
  auto* g = static_cast<float*>(*gradients.add(parameter("p", 1'000'000)));
  REQUIRE(gradients.seal());
  std::fill(g, g + 1'000'000, 1.f);
  reduce(gradients, 1);
  auto bytes_of = [](Gradients const& of) {
    std::string all, room;
    auto const spans = of.read_result(1, room);
    REQUIRE(spans);
    for (auto const& span : *spans) all.append(span.data, span.bytes);
    return all;
  };
  auto const result = bytes_of(gradients);
  // The first bucket of step 2 overwrites nothing of step 1.
  std::fill(g, g + 1'000'000, 2.f);
  auto const first = gradients.bucket(0, 2);
  std::memcpy(first.sum, first.local, first.n * 4);
  CHECK(bytes_of(gradients) == result);
  reduce(gradients, 2, 1);
  CHECK(bytes_of(gradients) != result);
}

TEST_CASE("taking the result leaves it as it is, and clear() leaves no trace") {
  Gradients gradients;
  auto* g =
      static_cast<double*>(*gradients.add(parameter("p", 10, Dtype::float64)));
  auto* h = static_cast<float*>(*gradients.add(parameter("q", 10)));
  REQUIRE(gradients.seal());
  g[3] = 8, h[4] = 6;
  reduce(gradients, 1);
  REQUIRE(gradients.take_result(1, 0.5));
  REQUIRE(gradients.take_result(1, 0.5));
  CHECK(g[3] == 4);
  CHECK(h[4] == 3);
  REQUIRE(gradients.clear());
  CHECK(g[3] == 0);
  CHECK(h[4] == 0);
}

TEST_CASE("a program without parameters still has a first bucket") {
  Gradients gradients;
  REQUIRE(gradients.seal());
  REQUIRE(gradients.buckets() == 1);
  REQUIRE(gradients.set_words({0, 12}));
  reduce(gradients, 1);
  CHECK(gradients.words(1)->not_ready == 0);
  CHECK(gradients.words(1)->samples == 12);
}

TEST_CASE("the words are counted in float32 where gradients have 16 bits") {
  for (auto type : {Dtype::float16, Dtype::bfloat16}) {
    Gradients gradients;
    auto* g =
        static_cast<std::uint16_t*>(*gradients.add(parameter("p", 9, type)));
    REQUIRE(gradients.seal());
    g[8] = type == Dtype::float16 ? 0x3c00 : 0x3f80;  // 1
    REQUIRE(gradients.set_words({1, 4097}));
    REQUIRE(gradients.buckets() == 2);
    CHECK(gradients.bucket(0, 1).n == 2);
    CHECK(gradients.bucket(0, 1).type == comm::Element::float32);
    reduce(gradients, 1);
    CHECK(gradients.words(1)->samples == 4097);
    REQUIRE(gradients.take_result(1, 0.5));
    CHECK(g[8] == (type == Dtype::float16 ? 0x3800 : 0x3f00));
    CHECK(gradients.parts() == Readiness::Parts{{"p", {1}}});
  }
}

TEST_CASE("gradients of several types have buckets of their own") {
  Gradients gradients;
  auto* h = static_cast<std::uint16_t*>(
      *gradients.add(parameter("h", 3, Dtype::bfloat16)));
  auto* f = static_cast<float*>(*gradients.add(parameter("f", 3)));
  REQUIRE(gradients.seal());
  h[2] = 0x4000, f[2] = 2;
  REQUIRE(gradients.set_words({0, 5}));
  reduce(gradients, 1);
  REQUIRE(gradients.take_result(1, 0.5));
  CHECK(h[2] == 0x3f80);
  CHECK(f[2] == 1);
  CHECK(gradients.parts() == Readiness::Parts{{"h", {1}}, {"f", {0}}});
}

TEST_CASE("gradients of parameters on a device are there, and nowhere else") {
  auto const device = std::make_shared<comm::test::WalledDevice>();
  Gradients gradients;
  auto on_device = parameter("p", 600'000, Dtype::float32);
  on_device.device = device;
  auto* const g = static_cast<float*>(*gradients.add(on_device));
  CHECK(gradients.find("p") == g);
  REQUIRE(gradients.seal());
  CHECK(gradients.device() == device);
  std::vector<float> numbers(600'000, 3);
  auto const bytes = numbers.size() * sizeof(float);
  REQUIRE(device->from_host(g, numbers.data(), bytes));
  REQUIRE(gradients.set_words({1, 7}));
  for (std::size_t i = 0; i < gradients.buckets(); ++i) {
    auto const b = gradients.bucket(i, 1);
    REQUIRE(device->copy(b.sum, b.local, b.n * comm::size_of(b.type)));
  }
  REQUIRE(gradients.words(1));
  CHECK(gradients.words(1)->not_ready == 1);
  CHECK(gradients.words(1)->samples == 7);

  // To another member: R as it is; there it is taken whole, then scaled.
  std::string room;
  auto const spans = gradients.read_result(1, room);
  REQUIRE(spans);
  std::vector<char> sent;
  for (auto const& span : *spans)
    sent.insert(sent.end(), span.data, span.data + span.bytes);
  REQUIRE(sent.size() == gradients.result_bytes());
  Gradients other;
  auto* const h = *other.add(on_device);
  REQUIRE(other.seal());
  REQUIRE(other.write_result(1, sent));
  REQUIRE(other.take_result(1, 0.5));
  REQUIRE(device->to_host(numbers.data(), h, bytes));
  CHECK(numbers == std::vector<float>(600'000, 1.5f));
  REQUIRE(other.clear());
  REQUIRE(device->to_host(numbers.data(), h, bytes));
  CHECK(numbers == std::vector<float>(600'000));
}

TEST_CASE("parameters are all on one device, or all on the host") {
  auto const device = std::make_shared<comm::test::WalledDevice>();
  auto on_device = parameter("a", 4);
  on_device.device = device;
  Gradients gradients;
  REQUIRE(gradients.add(on_device));
  auto const refused = gradients.add(parameter("b", 4));
  REQUIRE(!refused);
  CHECK(refused.error().message.find("'b' lies elsewhere") !=
        std::string::npos);
}

TEST_CASE("only what can be summed has a gradient") {
  Gradients gradients;
  CHECK(!gradients.add(parameter("n", 4, Dtype::int64)));
  CHECK(gradients.find("n") == nullptr);
}

}  // namespace gleaner::state

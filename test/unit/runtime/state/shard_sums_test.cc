// SPDX-License-Identifier: Apache-2.0
/// The gradient of a step in deterministic mode.
#include "runtime/state/shard_sums.hh"

#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

constexpr std::uint32_t shards = 6;
constexpr int n = 1000;

/// A member: where its program computes, and its sums.
struct Member {
  Member() : sums(shards) {
    for (auto& [name, work] : gradients) {
      Tensor tensor{name, work.data(), Dtype::float32, {n}, Role::param};
      REQUIRE(sums.add(tensor, work.data()));
    }
    REQUIRE(sums.seal());
  }
  Member(Member const&) = delete;

  /// What the program computes for this shard, in a step.
  void compute(std::int64_t step, std::uint32_t shard) {
    std::mt19937 random(unsigned(step * 100 + shard));
    std::normal_distribution<float> normal;
    for (auto& [name, work] : gradients)
      for (auto& x : work) x = normal(random);
    sums.keep(shard);
  }

  std::vector<std::pair<std::string, std::vector<float>>> gradients{
      {"a", std::vector<float>(n)}, {"b", std::vector<float>(n)}};
  ShardSums sums;
};
using Members = std::vector<std::unique_ptr<Member>>;

Members members(int size) {
  Members all;
  for (; size > 0; --size) all.push_back(std::make_unique<Member>());
  return all;
}

/// As a data plane does it.
void reduce_bucket(Members const& all, std::size_t i, std::int64_t step) {
  auto const first = all[0]->sums.sums().bucket(i, step);
  std::vector<char> sum(first.n * comm::size_of(first.type));
  for (auto const& member : all)
    comm::add(first.type, sum.data(), sum.data(),
              member->sums.sums().bucket(i, step).local, first.n);
  for (auto const& member : all)
    std::memcpy(member->sums.sums().bucket(i, step).sum, sum.data(),
                sum.size());
}

void reduce(Members const& all, std::int64_t step) {
  for (auto const& member : all) {
    REQUIRE(member->sums.sums().set_words({1, 2}));
    member->sums.write_magnitudes();
  }
  reduce_bucket(all, 0, step);
  for (auto const& member : all) member->sums.add_up(step);
  for (std::size_t i = 1; i < all[0]->sums.sums().buckets(); ++i)
    reduce_bucket(all, i, step);
}

/// The step's gradient; shard s is computed by member owner[s].
auto result_of(std::vector<std::size_t> const& owner, int size,
               std::int64_t step) {
  auto const all = members(size);
  for (std::uint32_t shard = 0; shard < shards; ++shard)
    all[owner[shard]]->compute(step, shard);
  reduce(all, step);
  for (auto const& member : all) REQUIRE(member->sums.take_result(step));
  for (auto const& member : all) CHECK(member->gradients == all[0]->gradients);
  CHECK(all[0]->sums.sums().words(step)->samples == 2 * size);
  return all[0]->gradients;
}

}  // namespace

TEST_CASE("the gradient does not depend on who computes which shard") {
  auto const step = GENERATE(1, 2);
  auto const expected = result_of({0, 0, 0, 0, 0, 0}, 1, step);
  CHECK(result_of({0, 0, 0, 1, 1, 1}, 2, step) == expected);
  CHECK(result_of({2, 1, 0, 2, 1, 0}, 3, step) == expected);
  CHECK(result_of({3, 3, 3, 3, 3, 0}, 5, step) == expected);
  auto const other = result_of({0, 0, 0, 0, 0, 0}, 1, step + 2);
  CHECK(other != expected);
}

TEST_CASE("a step that is reduced again with more shards counts them all") {
  auto const expected = result_of({0, 0, 0, 0, 0, 0}, 1, 1);
  auto all = members(2);
  for (std::uint32_t shard = 0; shard < shards; ++shard)
    all[shard % 2]->compute(1, shard);
  reduce(all, 1);
  all.pop_back();  // lost before anybody had the whole result
  for (std::uint32_t shard = 1; shard < shards; shard += 2)
    all[0]->compute(1, shard);
  reduce(all, 1);
  REQUIRE(all[0]->sums.take_result(1));
  CHECK(all[0]->gradients == expected);
}

TEST_CASE("the result can be taken from another member's reduction") {
  auto const all = members(2);
  for (std::uint32_t shard = 0; shard < shards; ++shard)
    all[0]->compute(1, shard);
  reduce(all, 1);
  Member late;
  std::string room;
  auto const from = all[0]->sums.sums().read_result(1, room);
  REQUIRE(from);
  std::vector<char> sent;
  for (auto const& span : *from)
    sent.insert(sent.end(), span.data, span.data + span.bytes);
  CHECK(sent.size() == late.sums.sums().result_bytes());
  REQUIRE(late.sums.sums().write_result(1, sent));
  REQUIRE(all[0]->sums.take_result(1));
  REQUIRE(late.sums.take_result(1));
  CHECK(late.gradients == all[0]->gradients);
}

TEST_CASE("what is not finite spoils its own parameter's gradient only") {
  auto const all = members(2);
  for (std::uint32_t shard = 0; shard < shards; ++shard)
    all[shard % 2]->compute(1, shard);
  all[1]->sums.clear();
  for (std::uint32_t shard = 1; shard < shards; shard += 2) {
    all[1]->gradients[0].second[3] = INFINITY;
    all[1]->sums.keep(shard);
  }
  reduce(all, 1);
  REQUIRE(all[0]->sums.take_result(1));
  CHECK(std::isnan(all[0]->gradients[0].second[7]));
  CHECK(std::isfinite(all[0]->gradients[1].second[7]));
}

TEST_CASE("a step forgets the shards of the one before") {
  auto const all = members(1);
  for (std::int64_t step : {1, 2}) {
    all[0]->sums.clear();
    for (std::uint32_t shard = 0; shard < shards; ++shard)
      all[0]->compute(step, shard);
    reduce(all, step);
    REQUIRE(all[0]->sums.take_result(step));
    CHECK(all[0]->gradients == result_of({0, 0, 0, 0, 0, 0}, 1, step));
  }
}

TEST_CASE("too many shards for the number of parameters are refused") {
  ShardSums sums(70000);
  float work = 0;
  for (auto const* name : {"a", "b"})
    REQUIRE(sums.add({name, &work, Dtype::float32, {1}, Role::param}, &work));
  auto const sealed = sums.seal();
  REQUIRE_FALSE(sealed);
  CHECK(sealed.error().message.find("70000 shards and 2 parameters") !=
        std::string::npos);
}

}  // namespace gleaner::state

// SPDX-License-Identifier: Apache-2.0
/// What the sampler promises: each sample once per pass, whatever happens.
#include "runtime/generation/sampler.hh"

#include <random>
#include <set>

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

SamplerOptions options(std::uint64_t size, std::uint32_t batch,
                       std::uint32_t passes = 1) {
  SamplerOptions options;
  options.dataset_size = size;
  options.global_batch = batch;
  options.passes = passes;
  return options;
}

}  // namespace

TEST_CASE("a pass is a permutation, another one in each pass") {
  auto const size = GENERATE(1u, 2u, 3u, 97u, 1000u);
  std::set<std::uint64_t> seen;
  std::size_t moved = 0;
  Permutation const first(size, 7, 0), second(size, 7, 1);
  for (std::uint64_t position = 0; position < size; ++position) {
    seen.insert(first.at(position));
    moved += first.at(position) != second.at(position);
  }
  CHECK(seen.size() == size);
  CHECK(*seen.rbegin() == size - 1);
  if (size > 50) CHECK(moved > size / 2);
}

TEST_CASE("a permutation is a function of size, seed and pass") {
  CHECK(Permutation(1000, 7, 3).at(123) == Permutation(1000, 7, 3).at(123));
}

TEST_CASE("options that leave nothing to train on are refused") {
  struct Case {
    std::uint64_t size;
    std::uint32_t batch, passes;
    bool drop_last;
    char const* why;  ///< "": they are good
  };
  auto const at = GENERATE(values<Case>({
      {1, 1, 1, false, ""},
      {4, 8, 2, false, ""},
      {8, 8, 1, true, ""},
      {0, 1, 1, false, "dataset_size is 0"},
      {1, 1, 0, false, "passes is 0"},
      {1, 0, 1, false, "global_batch is 0, expected 1 to 16777216"},
      {1, (1u << 24) + 1, 1, false, "global_batch is 16777217"},
      {7, 8, 1, true, "drop_last would drop every sample"},
  }));
  auto wanted = options(at.size, at.batch, at.passes);
  wanted.drop_last = at.drop_last;
  auto const checked = generation::check(wanted);
  REQUIRE(bool(checked) == !*at.why);
  if (!checked) CHECK_THAT(checked.error().message, Catch::StartsWith(at.why));
}

TEST_CASE("members share a step's positions evenly, in rank order") {
  Positions const taken{{0, 4}, {10, 16}};
  CHECK(share_of(taken, 0, 3) == Positions{{0, 3}});
  CHECK(share_of(taken, 1, 3) == Positions{{3, 4}, {10, 12}});
  CHECK(share_of(taken, 2, 3) == Positions{{12, 16}});
}

TEST_CASE("with fewer samples than members some compute none") {
  Positions const taken{{0, 2}};
  std::uint64_t total = 0;
  for (std::size_t rank = 0; rank < 5; ++rank)
    total += count(share_of(taken, rank, 5));
  CHECK(total == 2);
  CHECK(share_of(taken, 0, 5).empty());
}

TEST_CASE("a step takes a batch; the last one of a pass what is left") {
  Sampler sampler(options(10, 4, 2));
  CHECK(sampler.take() == Positions{{0, 4}});
  CHECK(sampler.take() == Positions{{4, 8}});
  CHECK(sampler.take() == Positions{{8, 10}});
  CHECK(sampler.pass() == 0);
  CHECK_FALSE(sampler.done());
  CHECK(sampler.take() == Positions{{0, 4}});
  CHECK(sampler.pass() == 1);
  sampler.take();
  sampler.take();
  CHECK(sampler.done());
  CHECK(sampler.samples_seen() == 20);
}

TEST_CASE("drop_last leaves out a short last step, and counts it") {
  auto with_drop = options(10, 4, 2);
  with_drop.drop_last = true;
  Sampler sampler(with_drop);
  for (int step = 0; step < 4; ++step) CHECK(count(sampler.take()) == 4);
  CHECK(sampler.done());
  CHECK(sampler.samples_seen() == 16);
  CHECK(sampler.dropped() == 4);
}

TEST_CASE("what is handed back comes first") {
  Sampler sampler(options(20, 4));
  sampler.take();
  sampler.give_back({{1, 3}});
  CHECK(sampler.samples_seen() == 2);
  CHECK(sampler.take() == Positions{{1, 3}, {4, 6}});
}

TEST_CASE("a pass goes on until what was handed back is taken") {
  Sampler sampler(options(4, 4));
  sampler.take();
  CHECK(sampler.done());
  sampler.give_back({{0, 1}});
  CHECK_FALSE(sampler.done());
  CHECK(sampler.take() == Positions{{0, 1}});
  CHECK(sampler.done());
}

TEST_CASE("its state survives being written and read") {
  Sampler sampler(options(20, 4, 3));
  sampler.take();
  sampler.take();
  sampler.give_back({{5, 6}, {7, 8}});
  auto const read = Sampler::parse(sampler.options(), sampler.to_json());
  REQUIRE(read);
  CHECK(*read == sampler);
}

TEST_CASE("a state that cannot be is refused") {
  auto const state = Sampler(options(20, 4)).to_json();
  auto const with = [&](char const* key, nlohmann::json value) {
    auto changed = state;
    changed[key] = std::move(value);
    return Sampler::parse(options(20, 4), changed);
  };
  CHECK_FALSE(with("next", 21));
  CHECK_FALSE(with("next", "many"));
  CHECK_FALSE(with("pass", 1));
  CHECK_FALSE(with("back", {{3, 2}}));
  CHECK_FALSE(with("back", {{0, 1}}));
  CHECK_FALSE(Sampler::parse(options(20, 4), nlohmann::json::array()));
}

TEST_CASE("each sample is taken once, whatever is handed back") {
  std::mt19937 random(1);
  for (int history = 0; history < 300; ++history) {
    Sampler sampler(options(1 + random() % 200, 1 + random() % 20));
    Positions committed;
    while (!sampler.done()) {
      auto const taken = sampler.take();
      std::size_t const n = 1 + random() % 5;
      Positions back;
      for (std::size_t rank = 0; rank < n; ++rank) {
        auto const share = share_of(taken, rank, n);
        auto& to = random() % 10 == 0 ? back : committed;
        to = merged(to, share);  // asserts that they are disjoint
      }
      sampler.give_back(back);
    }
    CHECK(committed == Positions{{0, sampler.options().dataset_size}});
    CHECK(sampler.samples_seen() == sampler.options().dataset_size);
  }
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// When are two states called equal?
#include "runtime/state/state_digest.hh"

#include <cstdlib>

#include "test/unit/catch.hh"

namespace gleaner::state {

namespace {

struct State {
  explicit State(std::size_t n) : weight(n), momentum(n), statistics(n) {
    add("weight", weight, Role::param);
    add("momentum", momentum, Role::optimizer);
    add("statistics", statistics, Role::buffer);
  }
  void add(char const* name, std::vector<float>& data, Role role) {
    REQUIRE(registry.add(Tensor{
        name, data.data(), Dtype::float32, {std::int64_t(data.size())}, role}));
  }
  auto digests(msg::Step step, DigestOf of,
               Buffers buffers = Buffers::own) const {
    return state_digests(registry, step, of, buffers);
  }

  std::vector<float> weight, momentum, statistics;
  Registry registry;
};

}  // namespace

TEST_CASE("every byte of every tensor counts in a full digest") {
  State one(1000), other(1000);
  auto const full = DigestOf::tensors;
  CHECK(one.digests(3, full) == other.digests(3, full));
  other.momentum[999] = 1e-38f;
  auto const differ = other.digests(3, full);
  CHECK(one.digests(3, full).at("weight") == differ.at("weight"));
  CHECK(one.digests(3, full).at("momentum") != differ.at("momentum"));
}

TEST_CASE("samples are of other bytes in each step, and equal on all members") {
  State one(1 << 18), other(1 << 18);
  int differs = 0;
  other.weight[12345] = 1;
  for (msg::Step step = 1; step <= 2000; ++step)
    differs += one.digests(step, DigestOf::samples) !=
               other.digests(step, DigestOf::samples);
  // 32 KiB of 2 MiB are looked at: 1 in 64.
  CHECK(differs > 5);
  CHECK(differs < 200);
}

TEST_CASE("a state that is wrong throughout is seen in the first samples") {
  std::size_t const n = std::size_t(GENERATE(1, 3, 100, 100000));
  State one(n), other(n);
  for (auto& x : other.weight) x = 1;
  CHECK(one.digests(1, DigestOf::samples) !=
        other.digests(1, DigestOf::samples));
}

TEST_CASE("what members change by themselves is not compared") {
  State one(1000), other(1000);
  other.statistics[5] = 7;
  CHECK(one.digests(1, DigestOf::tensors) ==
        other.digests(1, DigestOf::tensors));
  CHECK(one.digests(1, DigestOf::tensors).size() == 2);
}

TEST_CASE("buffers that are promised to be equal are compared") {
  auto const of = GENERATE(DigestOf::tensors, DigestOf::samples);
  // 1 MB of parameters, which takes most samples, were they not apart.
  State one(1000), other(1000);
  std::vector<float> large(1 << 18);
  for (auto* state : {&one, &other}) state->add("large", large, Role::param);
  CHECK(one.digests(1, of, Buffers::equal) ==
        other.digests(1, of, Buffers::equal));
  other.statistics[5] = 7;
  CHECK(one.digests(1, of, Buffers::equal) !=
        other.digests(1, of, Buffers::equal));
  CHECK(one.digests(1, of) == other.digests(1, of));
}

TEST_CASE("a promise about buffers that is none is refused") {
  ::unsetenv("GLEANER_BUFFERS");
  CHECK(*buffers_promised() == Buffers::own);
  ::setenv("GLEANER_BUFFERS", "equal", 1);
  CHECK(*buffers_promised() == Buffers::equal);
  ::setenv("GLEANER_BUFFERS", "some", 1);
  CHECK(buffers_promised().error().message ==
        "GLEANER_BUFFERS is 'some', expected 'own' or 'equal'");
  ::unsetenv("GLEANER_BUFFERS");
}

TEST_CASE("a program without state has a digest, too") {
  auto const own = Buffers::own;
  CHECK(state_digests(Registry(), 1, DigestOf::samples, own).size() == 1);
  CHECK(state_digests(Registry(), 1, DigestOf::tensors, own).empty());
}

}  // namespace gleaner::state

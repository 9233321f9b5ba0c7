// SPDX-License-Identifier: Apache-2.0
/// Into which parts nodes are cut.
#include "daemon/decisions/cut.hh"

#include "test/unit/catch.hh"

namespace gleaner::daemon {
namespace {

Resources has(int cpus, std::int64_t memory_mb, char const* gres) {
  return {cpus, memory_mb, *parse_gres(gres)};
}

NodeKind kind(Resources total) {
  NodeKind kind;
  kind.total = std::move(total);
  kind.parts_max = 8;
  return kind;
}

/// "+0 gpu:a:1, +1 gpu:a:1"
std::string text(std::vector<Part> const& parts) {
  std::string text;
  for (auto const& part : parts)
    text += (text.empty() ? "+" : ", +") + std::to_string(part.index) + " " +
            to_string(part.has.gres);
  return text;
}

auto const gpu4 = kind(has(8, 32000, "gpu:4"));
auto const mixed = kind(has(8, 32000, "gpu:a:2,gpu:b:2"));

TEST_CASE("an idle node is cut into one part for each GPU") {
  CHECK(text(cut(gpu4, gpu4.total, {}, {})) ==
        "+0 gpu:1, +1 gpu:1, +2 gpu:1, +3 gpu:1");
  CHECK(cut(gpu4, gpu4.total, {}, {}).front().has == has(2, 8000, "gpu:1"));
}

TEST_CASE("a part never has GPUs of two types") {
  CHECK(text(cut(mixed, mixed.total, {}, {})) ==
        "+0 gpu:a:1, +1 gpu:a:1, +2 gpu:b:1, +3 gpu:b:1");
  CHECK(text(cut(mixed, mixed.total, {}, has(0, 0, "gpu:2"))) ==
        "+0 gpu:a:2, +1 gpu:b:2");
  CHECK(text(cut(mixed, mixed.total, {}, has(0, 0, "gpu:3"))) == "");
}

TEST_CASE("only what is free is cut, with its share of CPUs and memory") {
  CHECK(text(cut(gpu4, has(6, 24000, "gpu:3"), {}, {})) ==
        "+0 gpu:1, +1 gpu:1, +2 gpu:1");
  // A CPU job has taken what goes with a GPU: that GPU waits for a job.
  CHECK(text(cut(gpu4, has(3, 24000, "gpu:3"), {}, {})) == "+0 gpu:1");
  CHECK(text(cut(gpu4, has(8, 7999, "gpu:4"), {}, {})) == "");
  CHECK(text(cut(gpu4, has(8, 32000, ""), {}, {})) == "");
}

TEST_CASE("parts of what is asked for, as many as there are") {
  CHECK(text(cut(gpu4, has(6, 24000, "gpu:3"), {}, has(0, 0, "gpu:2"))) ==
        "+0 gpu:2");
  CHECK(cut(gpu4, gpu4.total, {}, has(4, 0, "gpu:1")).size() == 2);
}

TEST_CASE("leases keep their numbers, and count towards the most") {
  CHECK(text(cut(gpu4, has(4, 16000, "gpu:2"), {0, 2}, {})) ==
        "+1 gpu:1, +3 gpu:1");
  auto two = gpu4;
  two.parts_max = 2;
  CHECK(text(cut(two, has(6, 24000, "gpu:3"), {1}, {})) == "+0 gpu:1");
  CHECK(text(cut(two, has(4, 16000, "gpu:2"), {0, 1}, {})) == "");
}

TEST_CASE("a kind that is lent whole is not cut") {
  auto whole = gpu4;
  whole.parts_max = 0;
  CHECK(text(cut(whole, whole.total, {}, {})) == "");
}

TEST_CASE("trainings that ask for different amounts take turns") {
  auto kinds = std::vector{gpu4, mixed};
  kinds[0].nodes = *NodeSet::parse("n[1-4]");
  kinds[1].nodes = *NodeSet::parse("m[1-2]");
  auto const one = has(0, 0, "gpu:1"), four = has(0, 0, "gpu:4"),
             three_b = has(0, 0, "gpu:b:3");
  PartSizes const sizes(kinds, {four, one, three_b, four});
  CHECK(sizes.on("n1", 0) == four);
  CHECK(sizes.on("n2", 0) == one);
  CHECK(sizes.on("n3", 0) == four);
  // No node of this kind can serve the others.
  CHECK(sizes.on("m1", 1) == one);
  CHECK(sizes.on("m2", 1) == one);
  CHECK(PartSizes(kinds, {}).on("n1", 0) == Resources{});
}

}  // namespace
}  // namespace gleaner::daemon

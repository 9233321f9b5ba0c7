// SPDX-License-Identifier: Apache-2.0
/// How large the parts are into which a node is cut.
#include "core/part_size.hh"

#include "core/lease_template.hh"
#include "test/unit/catch.hh"

namespace gleaner {

namespace {

NodeKind kind(int cpus, std::int64_t memory_mb, char const* gres,
              int threads = 1) {
  NodeKind kind;
  kind.total = {cpus, memory_mb, *parse_gres(gres)};
  kind.threads_per_core = threads;
  kind.parts_max = 8;
  return kind;
}

/// "2 CPUs, 8000 MB, gpu:a:1" for what a training asks as srun options.
std::string size(NodeKind const& kind, char const* type, char const* ask) {
  auto const part = part_size(kind, type, parse_lease_template(ask)->each);
  return part ? to_string(*part) : "none";
}

}  // namespace

TEST_CASE("a part has GPUs of one type and their share of CPUs and memory") {
  auto const node = kind(8, 32000, "gpu:4");
  auto const mixed = kind(16, 64000, "gpu:a:2,gpu:b:2");
  struct Row {
    NodeKind const& kind;
    char const* type;
    char const* ask;
    char const* part;
  };
  for (auto const& row : std::initializer_list<Row>{
           {node, "gpu", "", "2 CPUs, 8000 MB, gpu:1"},
           {node, "gpu", "--gres=gpu:1", "2 CPUs, 8000 MB, gpu:1"},
           {node, "gpu", "--gres=gpu:2", "4 CPUs, 16000 MB, gpu:2"},
           {node, "gpu", "--gres=gpu:4", "8 CPUs, 32000 MB, gpu:4"},
           {node, "gpu", "--gres=gpu:5", "none"},
           {node, "gpu", "--gres=gpu:1 -c3 --mem=9000",
            "3 CPUs, 9000 MB, gpu:1"},
           {node, "gpu", "--gres=gpu:1 -c9", "none"},
           {node, "gpu", "--gres=gpu:a:1", "none"},
           {node, "gpu", "--gres=gpu:1,nvme:1", "none"},
           {mixed, "gpu:a", "--gres=gpu:1", "4 CPUs, 16000 MB, gpu:a:1"},
           {mixed, "gpu:b", "--gres=gpu:b:2", "8 CPUs, 32000 MB, gpu:b:2"},
           {mixed, "gpu:a", "--gres=gpu:b:2", "none"},
           {mixed, "gpu:a", "--gres=gpu:3", "none"},
           {mixed, "gpu:a", "--gres=gpu:a:1,gpu:b:1", "none"},
       }) {
    CAPTURE(row.type, row.ask);
    CHECK(size(row.kind, row.type, row.ask) == row.part);
  }
}

TEST_CASE("CPUs of a part are whole cores, rounded down in its share") {
  auto const node = kind(20, 32000, "gpu:4", 2);
  CHECK(size(node, "gpu", "") == "4 CPUs, 8000 MB, gpu:1");
  CHECK(size(node, "gpu", "-c5") == "6 CPUs, 8000 MB, gpu:1");
}

TEST_CASE("a node with more GPUs than CPUs gives each part one") {
  CHECK(size(kind(2, 100, "gpu:4"), "gpu", "") == "1 CPU, 25 MB, gpu:1");
}

TEST_CASE("a node without GPUs has no parts") {
  CHECK(gpu_types({{"nvme", 2}}).empty());
  CHECK(parts_of(kind(8, 32000, "nvme:2"), {}) == 0);
}

TEST_CASE("an empty node is cut into as many parts as fit") {
  auto const ask = [](char const* text) {
    return parse_lease_template(text)->each;
  };
  auto const mixed = kind(16, 64000, "gpu:a:2,gpu:b:2");
  CHECK(parts_of(mixed, ask("--gres=gpu:1")) == 4);
  CHECK(parts_of(mixed, ask("--gres=gpu:a:1")) == 2);
  CHECK(parts_of(mixed, ask("--gres=gpu:2")) == 2);
  CHECK(parts_of(mixed, ask("--gres=gpu:1 -c8")) == 2);
  auto few = mixed;
  few.parts_max = 3;
  CHECK(parts_of(few, ask("--gres=gpu:1")) == 3);
  few.parts_max = 0;
  CHECK(parts_of(few, ask("--gres=gpu:1")) == 0);
}

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// Which node can serve which lease template, and why not.
#include "core/fits.hh"

#include "test/unit/catch.hh"

namespace gleaner {

namespace {

/// n1: no GPU.  n[2-3]: 2 of type a.  n[4-5]: 4 of type b, not in `small`.
Snapshot cluster() {
  Snapshot snapshot;
  snapshot.kinds = {
      {{4, 8000, {}}, {"slow"}, {"lease", "main", "small"}, {"n1"}},
      {{8, 16000, {{"gpu:a", 2}}},
       {"fast"},
       {"lease", "main", "small"},
       {"n2", "n3"}},
      {{16, 64000, {{"gpu:b", 4}}},
       {"fast", "wide"},
       {"lease", "main"},
       {"n4", "n5"}},
      {{64, 640000, {{"gpu:c", 8}}}, {"fast"}, {"main"}, {"n6"}}};
  return snapshot;
}

/// "n1 n4", or why there are none.
std::string servers(char const* text) {
  auto const snapshot = cluster();
  auto const ask = parse_lease_template(text);
  REQUIRE(ask);
  std::string names;
  int count = 0;
  for (auto const& kind : snapshot.kinds)
    for (auto const& node : kind.nodes)
      if (kind.is_in("lease") && misfit(node, kind, kind.total, *ask).empty()) {
        names += (names.empty() ? "" : " ") + node;
        ++count;
      }
  auto const all = servers_of(snapshot, "lease", *ask);
  CHECK(all.nodes == count);
  CHECK(all.why_none.empty() == (count > 0));
  return count > 0 ? names : all.why_none;
}

}  // namespace

TEST_CASE("which nodes can serve a lease template, and why none") {
  struct Row {
    char const* text;
    char const* nodes;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"", "n1 n2 n3 n4 n5"},
           {"--gres=gpu:1", "n2 n3 n4 n5"},
           {"--gres=gpu:a:1", "n2 n3"},
           {"--gres=gpu:b:4", "n4 n5"},
           {"--gres=gpu:3", "n4 n5"},
           {"-c8", "n2 n3 n4 n5"},
           {"--mem=20000M", "n4 n5"},
           {"--constraint=fast", "n2 n3 n4 n5"},
           {"--constraint=fast&wide", "n4 n5"},
           {"--constraint=slow|wide", "n1 n4 n5"},
           {"--partition=small", "n1 n2 n3"},
           {"--partition=small --gres=gpu:1", "n2 n3"},
           {"--exclude=n[1-3]", "n4 n5"},
           {"--nodelist=n[3-4] --gres=gpu:1", "n3 n4"},
           {"--gres=gpu:b:8",
            "no node of partition lease has gpu:b:8; nearest: n4 lacks gpu:b:8 "
            "(has gpu:b:4)"},
           {"--gres=gpu:c:1",
            "no node of partition lease has gpu:c:1; nearest: n2 lacks gpu:c:1 "
            "(has gpu:a:2)"},
           {"--gres=gpu:b:4 --partition=small",
            "no node of partition lease has gpu:b:4 and is in partition small; "
            "nearest: n2 lacks gpu:b:4 (has gpu:a:2)"},
           {"--gres=gpu:2 --mem=1T",
            "no node of partition lease has 1048576 MB, gpu:2; nearest: n2 "
            "lacks 1048576 MB of memory (has 16000)"},
           {"--constraint=huge",
            "no node of partition lease has feature huge; nearest: n1 lacks "
            "feature huge (has slow)"},
           {"--partition=gone",
            "no node of partition lease is in partition gone; nearest: n1 is "
            "not in partition gone"},
           {"--exclude=n[1-5]",
            "no node of partition lease is left; nearest: n1 is excluded by "
            "--exclude"},
       }) {
    CAPTURE(row.text);
    CHECK(servers(row.text) == row.nodes);
  }
}

TEST_CASE("of two that lack something the nearer has the GRES") {
  Snapshot snapshot;
  snapshot.kinds = {{{4, 8000, {{"gpu:a", 1}}}, {}, {"lease"}, {"n1"}},
                    {{2, 8000, {{"gpu:a", 4}}}, {}, {"lease"}, {"n2"}}};
  auto const ask = parse_lease_template("--gres=gpu:a:4 -c4");
  CHECK(servers_of(snapshot, "lease", *ask).why_none ==
        "no node of partition lease has 4 CPUs, gpu:a:4; nearest: n2 lacks 4 "
        "CPUs (has 2)");
}

TEST_CASE("a part of a node serves less than the node") {
  auto const snapshot = cluster();
  auto const ask = parse_lease_template("--gres=gpu:b:2");
  auto const& kind = snapshot.kinds[2];
  CHECK(misfit("n4", kind, {4, 1000, {{"gpu:b", 2}}}, *ask) == "");
  CHECK(misfit("n4", kind, {4, 1000, {{"gpu:b", 1}}}, *ask) ==
        "lacks gpu:b:2 (has gpu:b:1)");
}

}  // namespace gleaner

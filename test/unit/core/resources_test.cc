// SPDX-License-Identifier: Apache-2.0
/// Amounts of resources: how they are written, compared and added.
#include "core/resources.hh"

#include <random>

#include "test/unit/catch.hh"

namespace gleaner {

namespace {

/// "gpu:a:2,nvme:1" as written again, or what was wrong.
std::string again(char const* text) {
  auto const gres = parse_gres(text);
  return gres ? to_string(*gres) : gres.error().message;
}

Gres gres(char const* text) { return *parse_gres(text); }

}  // namespace

TEST_CASE("GRES are read in each of Slurm's notations") {
  struct Row {
    char const* text;
    char const* means;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"", ""},
           {"gpu:4", "gpu:4"},
           {"gpu", "gpu:1"},
           {"gpu:a", "gpu:a:1"},
           {"gpu:a:2(S:0),gpu:b:4,nvme:1", "gpu:a:2,gpu:b:4,nvme:1"},
           {"gpu:a:2(S:0,1)", "gpu:a:2"},
           {"gpu:a:1(IDX:0),gpu:b:0(IDX:N/A)", "gpu:a:1"},
           {"shard:a:8(0/4,4/4)", "shard:a:8"},
           {"gres:gpu:4,gres/nic:1", "gpu:4,nic:1"},
           {"gres/gpu=4", "gpu:4"},
           {"gres/gpu:a=4", "gpu:a:4"},
           {"gpu:1g.5gb:3", "gpu:1g.5gb:3"},
           {"gpu:2,gpu:1", "gpu:3"},
           {"bandwidth:lustre:no_consume:4G", "bandwidth:lustre:4294967296"},
           {"mps:2K", "mps:2048"},
           {"none", ""},
       }) {
    CAPTURE(row.text);
    CHECK(again(row.text) == row.means);
  }
}

TEST_CASE("GRES that mean nothing are refused, quoting the entry") {
  for (char const* text :
       {":4", "gpu:a:b:2", "gpu:", "gpu:-1", "gpu=x", "gpu :4",
        "gpu:99999999999999999999", "gpu:9999999999T"}) {
    CAPTURE(text);
    CHECK_THAT(again(("nvme:1," + std::string(text)).c_str()),
               Catch::Contains("'" + std::string(text) + "'"));
  }
}

TEST_CASE("a type is met by that type alone, a name by all its types") {
  struct Row {
    char const* have;
    char const* asked;
    bool covered;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"", "", true},
           {"gpu:4", "", true},
           {"", "gpu:1", false},
           {"gpu:a:2", "gpu:a:2", true},
           {"gpu:a:2", "gpu:a:3", false},
           {"gpu:a:2", "gpu:b:1", false},
           {"gpu:4", "gpu:a:1", false},
           {"gpu:a:2", "gpu:2", true},
           {"gpu:a:2,gpu:b:2", "gpu:4", true},
           {"gpu:a:2,gpu:b:2", "gpu:5", false},
           {"gpu:a:2,gpu:b:2", "gpu:a:2,gpu:2", true},
           {"gpu:a:2,gpu:b:2", "gpu:a:2,gpu:3", false},
           {"gpux:4", "gpu:1", false},
           {"gpu:4,nvme:1", "gpu:4,nvme:2", false},
       }) {
    CAPTURE(row.have, row.asked);
    CHECK(covers(gres(row.have), gres(row.asked)) == row.covered);
  }
}

TEST_CASE("what is lacking is said with what is there") {
  Resources const node{8, 16000, gres("gpu:a:2")};
  auto const lacking = [&](int cpus, std::int64_t memory_mb, char const* text) {
    return lacks(node, {cpus, memory_mb, gres(text)});
  };
  CHECK(lacking(8, 16000, "gpu:2") == "");
  CHECK(lacking(9, 1, "") == "9 CPUs (has 8)");
  CHECK(lacking(1, 16001, "") == "16001 MB of memory (has 16000)");
  CHECK(lacking(1, 1, "gpu:b:4") == "gpu:b:4 (has gpu:a:2)");
  CHECK(lacking(1, 1, "nvme:1") == "nvme:1 (has none)");
}

TEST_CASE("units without a type are taken from what has none, then by name") {
  auto const left = [](char const* from, char const* taken) {
    return to_string(minus(gres(from), gres(taken)));
  };
  CHECK(left("gpu:4", "gpu:1") == "gpu:3");
  CHECK(left("gpu:a:2,gpu:b:2", "gpu:3") == "gpu:b:1");
  CHECK(left("gpu:2,gpu:a:2", "gpu:3") == "gpu:a:1");
  CHECK(left("gpu:a:2,gpu:b:2", "gpu:2,gpu:a:1") == "gpu:b:1");
  CHECK(left("gpu:a:2", "gpu:a:5") == "");
  CHECK(left("gpu:a:2", "gpu:b:1") == "gpu:a:2");
  CHECK(minus(Resources{2, 10, {}}, Resources{3, 4, {}}) ==
        Resources{0, 6, {}});
}

TEST_CASE("what is covered can be taken, and put back") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  auto const some = [&random] {
    Gres made;
    for (auto key : {"gpu", "gpu:a", "gpu:b", "nvme"})
      if (auto const count = random() % 4; count > 0) made[key] = count;
    return made;
  };
  for (int i = 0; i < 1000; ++i) {
    auto const have = some(), asked = some();
    CAPTURE(to_string(have), to_string(asked));
    CHECK(covers(plus(have, asked), asked));
    auto const left = minus(have, asked);
    if (covers(have, asked)) {
      auto const sum = count_of(have, "gpu") - count_of(asked, "gpu");
      CHECK(count_of(left, "gpu") == sum);
      CHECK(covers(have, left));
    }
    CHECK(again(to_string(have).c_str()) == to_string(have));
  }
}

}  // namespace gleaner

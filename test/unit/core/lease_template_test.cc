// SPDX-License-Identifier: Apache-2.0
/// What a lease template asks of a node.
#include "core/lease_template.hh"

#include "test/unit/catch.hh"

namespace gleaner {

namespace {

LeaseTemplate read(char const* text) {
  auto parsed = parse_lease_template(text);
  REQUIRE(parsed);
  return *parsed;
}

}  // namespace

TEST_CASE("the options that say which nodes can serve are understood") {
  auto const ask = read(
      "--gres=gpu:a:2 -c 8 --mem=16G --constraint=fast&new "
      "--partition=big,small --exclude=n[1-2] --tmp=100M --exclusive");
  CHECK(to_string(ask.each) == "8 CPUs, 16384 MB, gpu:a:2");
  CHECK(ask.constraint.text() == "fast&new");
  CHECK(ask.partitions == std::vector<std::string>{"big", "small"});
  CHECK(ask.excluded == NodeSet{"n1", "n2"});
  CHECK(ask.required.empty());
}

TEST_CASE("amounts in their notations") {
  CHECK(read("").each == Resources{});
  CHECK(read("-c8").each.cpus == 8);
  CHECK(read("--cpus-per-task=8").each.cpus == 8);
  CHECK(read("--mincpus=4 -c8").each.cpus == 8);
  CHECK(read("--mem=1000").each.memory_mb == 1000);
  CHECK(read("--mem=1000M").each.memory_mb == 1000);
  CHECK(read("--mem=2K").each.memory_mb == 1);
  CHECK(read("--mem=1T").each.memory_mb == 1 << 20);
  CHECK(read("--gpus-per-node=a:2").each.gres == Gres{{"gpu:a", 2}});
  CHECK(read("--gpus-per-node=4").each.gres == Gres{{"gpu", 4}});
  CHECK(read("-wn[1-3]").required.size() == 3);
}

TEST_CASE("what cannot be read is named") {
  struct Row {
    char const* text;
    char const* why;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"--gres=gpu:4 --mem=lots", "'--mem=lots' cannot be read"},
           {"-cmany", "'-cmany' cannot be read (a number of CPUs"},
           {"--gres=:4", "no generic resource"},
           {"--constraint=a*2", "counts speak of all nodes"},
           {"--exclude=n[1", "'--exclude=n[1' cannot be read"},
       }) {
    CAPTURE(row.text);
    auto const parsed = parse_lease_template(row.text);
    REQUIRE_FALSE(parsed);
    CHECK_THAT(parsed.error().message, Catch::Contains(row.why));
  }
}

TEST_CASE("srun gets all but where the user wants to run") {
  CHECK(srun_options("--gres=gpu:4 -p big -c 8 --nodelist=n1") ==
        std::vector<std::string>{"--gres=gpu:4", "-c", "8"});
  CHECK(srun_options("").empty());
}

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// The counts that gleanerd hands to job_submit_gleaner.
#include "core/free_nodes.hh"

#include "test/unit/catch.hh"

namespace gleaner {

TEST_CASE("free nodes are written as they are read") {
  FreeNodes const free{
      1772600004.5,
      2,
      {{"long", false, 0, 0, 0}, {"main", true, 1, 2, 8, {3, 1}, {11, 9, 8}}}};
  CHECK(to_text(free) ==
        "until 1772600004.500 notice 2\n"
        "long idle 0 partly 0 lent 0 gpus - back -\n"
        "main* idle 1 partly 2 lent 8 gpus 3,1 back 11,9,8\n");
  auto const read = parse_free_nodes(to_text(free));
  REQUIRE(read);
  CHECK(*read == free);
  CHECK(read->find("long")->lent == 0);
  CHECK(read->find("")->name == "main");
  CHECK(read->find("short") == nullptr);
}

TEST_CASE("a file cut off or of another kind is refused") {
  for (auto const* text :
       {"", "until\n", "{}", "until 1\n", "until 1 notice -1\n",
        "until 1 notice 2\nmain\n", "until 1 notice 2\nmain idle 1 partly\n",
        "until 1 notice 2\nmain idle -1 partly 0 lent 0 gpus - back -\n",
        "until 1 notice 2\nmain idle 1 partly 0 gpus - back -\n",
        "until 1 notice 2\nmain idle 1 partly 0 lent 0\n",
        "until 1 notice 2\nmain idle 1 partly 0 lent 0 gpus 1,x back -\n",
        "until 1 notice 2\nmain idle 1 partly 0 lent 0 gpus 1, back -\n",
        "until 1 notice 2\nmain idle 1 partly 0 lent 0 gpus 1,-1 back -\n"}) {
    CAPTURE(text);
    auto const read = parse_free_nodes(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Errc::invalid_argument);
  }
}

TEST_CASE("nodes are counted by how many GPUs they have at least") {
  NodesByGpus counts;
  count_gpus(&counts, 0);
  CHECK(counts.empty());
  count_gpus(&counts, 2);
  count_gpus(&counts, 4);
  count_gpus(&counts, 1, 3);
  CHECK(counts == NodesByGpus{5, 2, 1, 1});
  count_gpus(&counts, 1000);
  CHECK(counts.size() == 64);
}

}  // namespace gleaner

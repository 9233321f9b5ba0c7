// SPDX-License-Identifier: Apache-2.0
/// What job_submit_gleaner is told is free.
#include "daemon/decisions/count_free.hh"

#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// The lines for partitions, without that of the time.
std::string counted(World const& w) {
  auto const text =
      to_text(count_free(w.cluster, w.brain.leases(), "main", 1000));
  return text.substr(text.find('\n') + 1);
}

TEST_CASE("free and lent nodes are counted by partition") {
  World w;
  w.holes("n[1-5]");
  w.other_kind("n5").partitions = {"lease", "long", "main"};
  w.running_trainer(7, 1, 3, {"n1", "n2", "n3"});
  CHECK(
      counted(w) ==
      "lease idle 2 partly 0 lent 3 gpus 2,2,2,2 back 5,5,5,5\n"
      "main* idle 2 partly 0 lent 3 gpus 2,2,2,2 back 5,5,5,5\n");  // long has
                                                                    // none lent
  SECTION("a node that jobs use in part") {
    w.cluster.shared = {{"n6", 0, {2, 100, {}}, 1},
                        {"n7", 0, {2, 100, {{"gpu", 1}}}, 1}};
    CHECK(counted(w).ends_with(
        "main* idle 2 partly 2 lent 3 gpus 3,2,2,2 back 6,5,5,5\n"));
  }
  SECTION("an idle node that is not to be lent") {
    w.cluster.shared = {{"n6", 0, w.cluster.kinds[0].total, 1}};
    CHECK(counted(w).ends_with(
        "main* idle 3 partly 0 lent 3 gpus 3,3,3,3 back 6,6,6,6\n"));
  }
  SECTION("a lease on its way back is neither") {
    w.pending(5, 2, "n[1-2]");
    w.look();  // asked back, and could be late; the others are offered instead
    CHECK(counted(w).ends_with(
        "main* idle 0 partly 0 lent 5 gpus - back 5,5,5,5\n"));
    w.vacates(7, {"n1", "n2"});
    CHECK(counted(w).ends_with(
        "main* idle 0 partly 0 lent 3 gpus - back 3,3,3,3\n"));
  }
}

TEST_CASE("nothing is told while nothing is lent") {
  World w;
  w.holes("n[1-5]");
  w.look();
  CHECK(counted(w) == "");
}

}  // namespace
}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// What a person reads of a training's scaling.
#include "cli/profile/profile_view.hh"

#include "test/unit/catch.hh"

namespace gleaner::cli {
namespace {

msg::ProfileReply profile() {
  msg::ProfileReply p;
  p.job = 17;
  p.name = "train";
  p.scaling = "measured";
  p.family = "python3 train.py, shapes 9c01, batch 256";
  p.global_batch = 256;
  p.gradient_bytes = 10485760;
  p.members_per_node = 1;
  p.nodes_min = 1;
  p.nodes_max = 5;
  p.nodes_now = 2;
  p.trainings_before = 3;
  p.measured = {{2, 2, 96, 0.25, 0.01, 0.2, 0.21, 0.0004, 0.004}};
  p.curve = {{1, 560, 520, 600},
             {2, 1024, 1010, 1040},
             {3, 1400, 1200, 1600},
             {4, 1700, 1300, 2000},
             {5, 1900, 1300, 2300}};
  p.expand_s = 0.04;
  p.shrink_s = 0.03;
  p.start_s = 2.1;
  p.deliberate = "on 4 nodes, which took 12 s";
  return p;
}

TEST_CASE("a profile says what was measured, and what is expected") {
  CHECK(profile_text(profile()) ==
        "job 17 (train): python3 train.py, shapes 9c01, batch 256\n"
        "10 MB of gradients a step, 1 member a node\n"
        "trains on 2 nodes, may have 1 to 5; known from 3 trainings like it\n"
        "\n"
        "measured\n"
        "NODES  STEPS  STEP    SPREAD   COMPUTE  SLOWEST  WAITING  SAMPLES/S\n"
        "2      96     250 ms  10.0 ms  200 ms   210 ms   400 us   1024\n"
        "\n"
        "expected, and between what it is nine times in ten\n"
        "NODES  SAMPLES/S  AT LEAST  AT MOST  TIMES ONE NODE\n"
        "1      560        520       600      1.00\n"
        "2      1024       1010      1040     1.83            measured\n"
        "4      1700       1300      2000     3.04\n"
        "5      1900       1300      2300     3.39\n"
        "\n"
        "plans count 40.0 ms for growing, 30.0 ms for shrinking, 2.10 s for a "
        "start\n"
        "measured on purpose: on 4 nodes, which took 12 s\n");
}

TEST_CASE("a profile of which nothing is known says so") {
  auto p = profile();
  p.measured.clear();
  p.curve.clear();
  p.trainings_before = 0;
  CHECK_THAT(profile_text(p), Catch::Contains("nothing is measured yet") &&
                                  !Catch::Contains("expected"));
}

TEST_CASE("where plans do not use it a profile says so") {
  auto p = profile();
  p.scaling = "assumed";
  CHECK_THAT(profile_text(p), Catch::Contains("'scaling: assumed'"));
}

TEST_CASE("the picture has the curve, its interval and what was measured") {
  auto const svg = profile_svg(profile());
  for (auto const* part :
       {"job 17 (train)", "class=\"band\"", "class=\"expected\"",
        "class=\"measured\"", "class=\"now\"", "2 nodes, 96 steps", "</svg>"})
    CHECK_THAT(svg, Catch::Contains(part));
}

}  // namespace
}  // namespace gleaner::cli

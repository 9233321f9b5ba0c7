// SPDX-License-Identifier: Apache-2.0
/// Who reads the checkpoint that a training starts from.
#include "runtime/generation/checkpoint_load.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

TEST_CASE("a file that one member could not read is tried by the next") {
  CheckpointLoad load;
  CHECK(load.in_turn({4, 5, 6}, "c1") == MemberIds{4, 5, 6});
  load.begin(4, "c1");
  CHECK_FALSE(load.failed());
  CHECK(load.in_turn({4, 5, 6}, "c1") == MemberIds{5, 6, 4});
  CHECK(load.in_turn({4, 5, 6}, "c2") == MemberIds{4, 5, 6});
  CHECK(load.in_turn({4}, "c1") == MemberIds{4});
}

TEST_CASE("a file that two could not read is given up") {
  CheckpointLoad load;
  load.begin(4, "c1");
  CHECK_FALSE(load.failed());
  load.begin(5, "c1");
  CHECK(load.failed());
  load.begin(5, "c0");
  CHECK_FALSE(load.failed());
}

TEST_CASE("only the reader of a file can fail to read it") {
  CheckpointLoad load;
  CHECK_FALSE(load.is_by(0, ""));
  load.begin(4, "");
  CHECK_FALSE(load.is_by(4, ""));  // its state is the program's own
  load.begin(4, "c1");
  CHECK(load.is_by(4, "c1"));
  CHECK_FALSE(load.is_by(5, "c1"));
  CHECK_FALSE(load.is_by(4, "c2"));
  load.end();
  CHECK_FALSE(load.is_by(4, "c1"));
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// How a job is marked as ours, and what is no mark.
#include "slurm/admin_comment.hh"

#include "test/unit/catch.hh"

namespace gleaner::slurm {

TEST_CASE("a trainer's mark is written as documented and read back") {
  TrainerMark const mark{2, 16, "--gres=gpu:4 --constraint=a100"};
  CHECK(to_text(mark) ==
        "gleaner:trainer nodes=2-16 lease=--gres=gpu:4 --constraint=a100");
  CHECK(parse_trainer_mark(to_text(mark)) == mark);
  TrainerMark const plain{1, 1, ""};
  CHECK(parse_trainer_mark(to_text(plain)) == plain);
  TrainerMark const weighed{2, 16, "--gres=gpu:4", 0.5, 1772600000};
  CHECK(to_text(weighed) ==
        "gleaner:trainer nodes=2-16 weight=0.5 deadline=1772600000 "
        "lease=--gres=gpu:4");
  CHECK(parse_trainer_mark(to_text(weighed)) == weighed);
  TrainerMark const due{1, 2, "", 1, 1772600000};
  CHECK(to_text(due) == "gleaner:trainer nodes=1-2 deadline=1772600000 lease=");
  CHECK(parse_trainer_mark(to_text(due)) == due);
}

TEST_CASE("a lease's mark is written as documented and read back") {
  LeaseMark const mark{1234, "90ab12cd34ef5678"};
  CHECK(to_text(mark) == "gleaner:lease trainer=1234 ticket=90ab12cd34ef5678");
  CHECK(parse_lease_mark(to_text(mark)) == mark);
}

TEST_CASE("the mark of a part of a node says which") {
  LeaseMark const mark{1234, "90ab12cd34ef5678", 1};
  CHECK(to_text(mark) ==
        "gleaner:lease trainer=1234 ticket=90ab12cd34ef5678 part=1");
  CHECK(parse_lease_mark(to_text(mark)) == mark);
}

TEST_CASE("anything else is no mark") {
  for (char const* text :
       {"", "gleaner", "gleaner:trainer", "gleaner:trainer nodes=2 lease=",
        "gleaner:trainer nodes=0-4 lease=", "gleaner:trainer nodes=4-2 lease=",
        "gleaner:trainer nodes=2-99999999999 lease=", "GLEANER:trainer",
        " gleaner:trainer nodes=1-2 lease=",
        "gleaner:trainer nodes=1-2 weight= lease=",
        "gleaner:trainer nodes=1-2 weight=11 lease=",
        "gleaner:trainer nodes=1-2 weight=2x lease=",
        "gleaner:trainer nodes=1-2 deadline=-1 lease=",
        "gleaner:trainer nodes=1-2 deadline=5 weight=2 lease="}) {
    CAPTURE(text);
    CHECK_FALSE(parse_trainer_mark(text));
  }
  for (char const* text :
       {"", "gleaner:lease", "gleaner:lease trainer=0 ticket=a",
        "gleaner:lease trainer=-1 ticket=a", "gleaner:lease trainer=7",
        "gleaner:lease trainer=7 ticket=a part=",
        "gleaner:lease trainer=7 ticket=a part=-1",
        "gleaner:lease trainer=7 ticket=a part=1x",
        "gleaner:lease trainer=7 ticket=a node=1",
        "gleaner:trainer nodes=1-2 lease="}) {
    CAPTURE(text);
    CHECK_FALSE(parse_lease_mark(text));
  }
}

}  // namespace gleaner::slurm

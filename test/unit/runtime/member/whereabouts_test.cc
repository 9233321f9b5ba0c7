// SPDX-License-Identifier: Apache-2.0
/// What a heartbeat says about the user's thread.
#include "runtime/member/whereabouts.hh"

#include "test/unit/catch.hh"

namespace gleaner::member {

using At = Whereabouts::At;

TEST_CASE("a heartbeat says where the user's thread is, and for how long") {
  Whereabouts whereabouts(100);
  CHECK(whereabouts.report(103).at == "program");
  CHECK(whereabouts.report(103).for_s == 3);
  whereabouts.enter(At::reduction, 104);
  CHECK(whereabouts.report(110).at == "reduction");
  CHECK(whereabouts.report(110).for_s == 6);
  CHECK(whereabouts.swap(At::library, 111) == At::reduction);
  CHECK(whereabouts.report(111).at == "library");
}

TEST_CASE("it waits from when the reduction was ordered") {
  // After a loss the reduction begins again; the others need time for it.
  Whereabouts whereabouts(0);
  whereabouts.enter(At::reduction, 10);
  whereabouts.reduction_ordered(50);
  CHECK(whereabouts.report(52).for_s == 2);
  whereabouts.enter(At::program, 60);
  whereabouts.reduction_ordered(70);  // reduced beside the backward pass
  CHECK(whereabouts.report(75).for_s == 15);
}

TEST_CASE("it says what it is busy with until the time is up") {
  Whereabouts whereabouts(0);
  CHECK(whereabouts.report(1).busy_left_s == 0);
  whereabouts.busy("evaluation", 20);
  CHECK(whereabouts.report(5).busy == "evaluation");
  CHECK(whereabouts.report(5).busy_left_s == 15);
  CHECK(whereabouts.report(25).busy_left_s == 0);
  whereabouts.busy("export", 40);
  CHECK(whereabouts.report(25).busy_left_s == 15);
  whereabouts.busy("", 26);
  CHECK(whereabouts.report(26).busy_left_s == 0);
}

// Seen on a busy machine: a member woke up from four seconds of being busy, and
// was killed for them before it could call gleaner_reduce().
TEST_CASE("the time that it was busy is not held against it afterwards") {
  Whereabouts whereabouts(0);
  CHECK(whereabouts.report(3).for_s == 3);
  whereabouts.busy("export", 20);
  CHECK(whereabouts.report(8).for_s == 0);
  whereabouts.busy("", 10);
  CHECK(whereabouts.report(11).for_s == 1);
  whereabouts.busy("export", 20);  // and nobody says that it is over
  CHECK(whereabouts.report(22).for_s == 2);
  whereabouts.enter(At::reduction, 30);
  CHECK(whereabouts.report(31).for_s == 1);
}

TEST_CASE("it tells how long completed steps were computed and waited for") {
  Whereabouts whereabouts(0);
  whereabouts.enter(At::library, 5);
  whereabouts.enter(At::program, 10);
  whereabouts.enter(At::reduction, 13);
  CHECK(whereabouts.report(14).computed_s == 0);  // the step is not complete
  whereabouts.step_completed(15);
  whereabouts.enter(At::program, 15);
  CHECK(whereabouts.report(17).computed_s == 8);
  CHECK(whereabouts.report(17).waited_s == 2);
  whereabouts.enter(At::reduction, 18);
  whereabouts.reduction_ordered(20);  // again, after a loss
  whereabouts.step_completed(21);
  CHECK(whereabouts.report(30).computed_s == 11);
  CHECK(whereabouts.report(30).waited_s == 5);
}

TEST_CASE("it counts the steps that this process has done") {
  Whereabouts whereabouts(0);
  whereabouts.step_given(501);
  whereabouts.step_completed(9);
  whereabouts.step_given(502);
  CHECK(whereabouts.report(1).step == 502);
  CHECK(whereabouts.report(1).steps == 1);
}

}  // namespace gleaner::member

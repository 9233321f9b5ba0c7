// SPDX-License-Identifier: Apache-2.0
/// Work on files beside the program.
#include "runtime/os/disk_queue.hh"

#include <unistd.h>

#include <chrono>
#include <string>

#include "runtime/os/fd.hh"
#include "test/unit/catch.hh"

namespace gleaner::os {

TEST_CASE("work is done in the order it was given") {
  auto const done = std::make_shared<std::string>();
  DiskQueue queue;
  for (char const letter : std::string("hole"))
    queue.push([done, letter] { *done += letter; });
  REQUIRE(queue.wait(60));
  CHECK(*done == "hole");
}

TEST_CASE("the end of a queue waits for its work") {
  auto const done = std::make_shared<bool>(false);
  {
    DiskQueue().push([done] { *done = true; });
  }
  CHECK(*done);
}

TEST_CASE("a queue whose disk stands still is left behind") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  Fd const unblock(ends[1]);
  auto const stopped = std::make_shared<Fd>(ends[0]);
  auto const began = std::chrono::steady_clock::now();
  {
    DiskQueue queue;
    queue.push([stopped] {
      char byte;
      while (::read(stopped->get(), &byte, 1) > 0) {
      }
    });
    CHECK_FALSE(queue.wait(0.01));
  }
  std::chrono::duration<double> const took =
      std::chrono::steady_clock::now() - began;
  CHECK(took.count() >= DiskQueue::patience_s);
  CHECK(took.count() < DiskQueue::patience_s + 30);
}

}  // namespace gleaner::os

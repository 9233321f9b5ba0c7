// SPDX-License-Identifier: Apache-2.0
/// Hints arrive, or are lost without anybody waiting.
#include "plugins/hint.hh"

#include "test/unit/catch.hh"
#include "test/unit/plugins/scratch.hh"

namespace gleaner::plugins {

TEST_CASE("a hint reaches the scavenger alone, and gleanerd where it polls") {
  Scratch scratch;
  DatagramSocket gleanerd(scratch.path("hint.sock"));
  HintSender sender;
  {
    DatagramSocket scavenger(scratch.path("wake.sock"));
    sender.send(HintSender::Kind::arrival, scratch.dir());
    sender.send(HintSender::Kind::ended, scratch.dir());
    CHECK(scavenger.receive() == R"({"type":"arrival","job":0})");
    CHECK(scavenger.receive() == R"({"type":"ended","job":0})");
    sender.send(HintSender::Kind::training, scratch.dir());
    CHECK(scavenger.receive() == hint_of_training);
    CHECK(gleanerd.receive() == "");
  }
  // The socket's file may be left of a slurmctld that died.
  sender.send(HintSender::Kind::ended, scratch.dir());
  CHECK(gleanerd.receive() == R"({"type":"ended","job":0})");
}

TEST_CASE("a scavenger that does not read is no reason to tell gleanerd") {
  Scratch scratch;
  DatagramSocket gleanerd(scratch.path("hint.sock"));
  DatagramSocket scavenger(scratch.path("wake.sock"));
  HintSender sender;
  for (int i = 0; i < 10000; ++i)
    sender.send(HintSender::Kind::ended, scratch.dir());
  CHECK(scavenger.receive() != "");
  CHECK(gleanerd.receive() == "");
}

TEST_CASE("without receivers nothing happens") {
  Scratch scratch;
  HintSender sender;
  sender.send(HintSender::Kind::arrival, scratch.dir());
  sender.send(HintSender::Kind::arrival, scratch.dir() + "/missing");
  sender.send(HintSender::Kind::arrival, std::string(500, 'x'));
}

TEST_CASE("a receiver that does not read does not block the sender") {
  Scratch scratch;
  DatagramSocket gleanerd(scratch.path("hint.sock"));
  HintSender sender;
  for (int i = 0; i < 10000; ++i)
    sender.send(HintSender::Kind::ended, scratch.dir());
  CHECK(gleanerd.receive() != "");
}

}  // namespace gleaner::plugins

// SPDX-License-Identifier: Apache-2.0
/// How members of a data plane learn of each other.
#include "runtime/generation/rendezvous.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

/// Member `from` gives `blob`; what all of 3, 1, 2 (in rank order) get, or
/// nothing.
std::vector<std::string> gives(Rendezvous& rendezvous, msg::MemberId from,
                               std::string const& blob,
                               msg::Generation generation = 1,
                               std::string const& key = "address") {
  auto const all = rendezvous.give({3, 1, 2}, from, {generation, key, blob});
  return all ? all->blobs : std::vector<std::string>{};
}

using Blobs = std::vector<std::string>;

}  // namespace

TEST_CASE("all get the contact data of all when the last has given its own") {
  Rendezvous rendezvous;
  CHECK(gives(rendezvous, 1, "n1:7000") == Blobs{});
  CHECK(gives(rendezvous, 2, "n2:7000") == Blobs{});
  CHECK(gives(rendezvous, 3, "n3:7000") ==
        Blobs{"n3:7000", "n1:7000", "n2:7000"});
}

TEST_CASE("contact data that a member gives again takes the place of its own") {
  Rendezvous rendezvous;
  gives(rendezvous, 1, "n1:7000");
  CHECK(gives(rendezvous, 1, "n1:8000") == Blobs{});
  gives(rendezvous, 2, "n2:7000");
  CHECK(gives(rendezvous, 3, "n3:7000") ==
        Blobs{"n3:7000", "n1:8000", "n2:7000"});
}

TEST_CASE("each generation and each key has contact data of its own") {
  Rendezvous rendezvous;
  gives(rendezvous, 1, "a", 1);
  gives(rendezvous, 2, "b", 1);
  CHECK(gives(rendezvous, 3, "c", 2) == Blobs{});
  CHECK(gives(rendezvous, 3, "d", 1, "port") == Blobs{});
  CHECK(gives(rendezvous, 3, "e", 1) == Blobs{"e", "a", "b"});
}

TEST_CASE("the same members may exchange contact data again") {
  Rendezvous rendezvous;
  for (auto const* blob : {"first", "second"}) {
    CHECK(gives(rendezvous, 1, blob) == Blobs{});
    CHECK(gives(rendezvous, 2, blob) == Blobs{});
    CHECK(gives(rendezvous, 3, blob) == Blobs{blob, blob, blob});
  }
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// Which cores members get, on machines of several shapes.
#include "runtime/agent/binding.hh"

#include "test/unit/catch.hh"

namespace gleaner::agent {
namespace {

using Lists = std::vector<std::string>;

/// The hardware threads that `members` members near no GPU get.
Lists cpus(std::string const& machine, std::size_t members,
           std::string const& allowed = "") {
  auto const made = Machine::synthetic(machine, allowed);
  REQUIRE(made);
  Lists lists;
  for (auto const& binding : made->share(Lists(members)))
    lists.push_back(binding.cpus);
  return lists;
}

TEST_CASE("members share the cores evenly, neighbours on neighbours") {
  // Hardware threads are numbered core by core, two on each.
  auto const two_packages = "numa:2 core:4 pu:2";
  struct {
    char const* machine;
    std::size_t members;
    char const* allowed;
    Lists cpus;
  } const cases[] = {
      {two_packages, 1, "", {"0-15"}},
      {two_packages, 2, "", {"0-7", "8-15"}},
      {two_packages, 3, "", {"0-3", "4-9", "10-15"}},
      {two_packages,
       8,
       "",
       {"0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15"}},
      // Fewer cores than members: a hardware thread each.
      {"core:2 pu:2", 4, "", {"0", "1", "2", "3"}},
      {"core:2 pu:2", 3, "", {"0", "1", "2-3"}},
      // Fewer of these, too: no binding helps.
      {"core:2 pu:1", 3, "", {"", "", ""}},
      // Slurm gave the lease a part of the node.
      {two_packages, 2, "4-11", {"4-7", "8-11"}},
      {two_packages, 2, "0-1", {"0", "1"}},
      {two_packages, 2, "1,3", {"1", "3"}},
  };
  for (auto const& node : cases) {
    INFO(node.machine << ", " << node.members << " members, allowed "
                      << node.allowed);
    CHECK(cpus(node.machine, node.members, node.allowed) == node.cpus);
  }
}

TEST_CASE("a member with a GPU gets the cores near it") {
  auto const made = Machine::synthetic("numa:2 core:4 pu:2");
  REQUIRE(made);
  auto lists = [&](Lists const& near) {
    Lists result;
    for (auto const& binding : made->share(near))
      result.push_back(binding.cpus);
    return result;
  };
  // One GPU on each package, the other way round.
  CHECK(lists({"8-15", "0-7"}) == Lists{"8-15", "0-7"});
  // Two on each: halves.
  CHECK(lists({"0-7", "0-7", "8-15", "8-15"}) ==
        Lists{"0-3", "4-7", "8-11", "12-15"});
  // Only one is in use: the other package is left to those that come.
  CHECK(lists({"8-15"}) == Lists{"8-15"});
  // Near what may not be used, or what is not there: all is shared.
  CHECK(lists({"16-31", "16-31"}) == Lists{"0-7", "8-15"});
}

TEST_CASE(
    "a member near hardware threads that are not the lease's shares all") {
  auto const made = Machine::synthetic("numa:2 core:4 pu:2", "0-7");
  REQUIRE(made);
  auto const bound = made->share({"8-15"});
  CHECK(bound[0].cpus == "0-7");
}

TEST_CASE("memory is named where the cores have one") {
  auto const made = Machine::synthetic("numa:2 core:4 pu:1");
  REQUIRE(made);
  CHECK(made->share({""})[0].memory == -1);
  CHECK(made->share({"", ""})[0].text() == "cpus=0-3 memory=0");
  CHECK(made->share({"", ""})[1].text() == "cpus=4-7 memory=1");
  CHECK(made->share({""})[0].text() == "cpus=0-7");
  CHECK(Binding{}.text() == "");
}

TEST_CASE("of eight cores or more, one is left to what helps the member") {
  struct {
    char const* machine;
    int threads;
  } const cases[] = {{"core:1 pu:2", 1},
                     {"core:7 pu:2", 7},
                     {"core:8 pu:2", 7},
                     {"numa:2 core:32 pu:2", 63}};
  for (auto const& node : cases) {
    INFO(node.machine);
    auto const made = Machine::synthetic(node.machine);
    REQUIRE(made);
    CHECK(made->share({""})[0].threads == node.threads);
  }
}

TEST_CASE("a description that is none is refused") {
  auto const made = Machine::synthetic("core:many");
  REQUIRE(!made);
  CHECK(made.error().message.find("core:many") != std::string::npos);
}

TEST_CASE("this machine can be shared, within what this process may use") {
  auto const machine = Machine::here();
  REQUIRE(machine);
  auto const bound = machine->share({""});
  CHECK(bound[0].cpus != "");
  CHECK(bound[0].threads > 0);
}

}  // namespace
}  // namespace gleaner::agent

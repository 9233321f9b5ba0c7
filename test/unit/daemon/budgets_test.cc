// SPDX-License-Identifier: Apache-2.0
/// What a user's messages may cost gleanerd, Slurm and the journal.
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

/// Of what is to be done, how much is of this kind.
template <class Kind>
long count(Actions const& actions) {
  return std::count_if(actions.begin(), actions.end(), [](auto& action) {
    return std::holds_alternative<Kind>(action);
  });
}

Actions register_again(Brain& brain, LinkId link, JobId job, TimeS now) {
  brain.on_coordinator(link, 1001, msg::Register{job, {}, {}}, now);
  return brain.decide(now);
}

TEST_CASE("a registration for no job causes few looks and no row") {
  World w;
  w.holes("n[1-2]");
  w.look();
  long looks = 0, rows = 0;
  for (int i = 0; i < 1000; ++i) {
    auto const now = w.now + i * 0.01;
    auto const actions =
        register_again(w.brain, static_cast<LinkId>(100 + i), 4242, now);
    looks += count<LookAgain>(actions);
    for (auto const& action : actions)
      if (auto const* record = std::get_if<Record>(&action))
        rows += record->keep == Record::Keep::journal;
    w.brain.on_link_lost(static_cast<LinkId>(100 + i), now);
    looks += count<LookAgain>(w.brain.decide(now));
  }
  CHECK(looks <= 8 + 10 * 0.5 + 1);
  CHECK(looks >= 1);
  CHECK(rows == 0);
}

TEST_CASE("a refused registration is told, and is no row of the journal") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 1);
  w.look();
  auto const actions = register_again(w.brain, 50, 7, w.now);
  CHECK(count<Tell>(actions) == 1);
  CHECK(count<CloseLink>(actions) == 1);
  for (auto const& action : actions)
    if (auto const* record = std::get_if<Record>(&action))
      CHECK(record->keep == Record::Keep::log);
}

TEST_CASE("a job that the last look has seen is registered without another") {
  World w;
  w.holes("n1");
  w.base_job(7, 1, 1);
  w.look();
  w.brain.on_coordinator(7, 1000, msg::Register{7, {}, {}}, w.now);
  CHECK(count<LookAgain>(w.brain.decide(w.now)) == 0);
}

TEST_CASE("who is not registered changes nothing by what he says") {
  World w;
  w.holes("n[1-2]");
  w.look();
  w.brain.on_coordinator(99, 1001, msg::LeaseEnded{"n1", 5, "released"}, w.now);
  w.brain.on_coordinator(99, 1001, msg::Resized{1, "expand", 1, 2, "", 0, 0},
                         w.now);
  w.brain.on_link_lost(99, w.now);
  CHECK(w.brain.decide(w.now).empty());
}

TEST_CASE("a user's resizes fill the journal at a bounded rate") {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 1, 2);
  w.look();
  w.registers(7);
  long rows = 0;
  for (int i = 0; i < 5000; ++i) {
    w.brain.on_coordinator(
        7, 1000, msg::Resized{1, "expand", 1, 2, "holes", 0, 0}, w.now);
    for (auto const& action : w.brain.decide(w.now))
      if (auto const* record = std::get_if<Record>(&action))
        rows += record->event == "resized";
  }
  CHECK(rows == 1000);
}

TEST_CASE("a range beyond the cluster costs no more than the cluster") {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 1, 100000);
  w.look();
  w.registers(7);
  CHECK(w.brain.roster().find(7)->scaling.told().mean.size() == 3);
  CHECK(w.brain.roster().find(7)->base.nodes_max == 2);
  // The cluster grows: so does what it may have.
  w.holes("n[1-4]");
  w.look();
  CHECK(w.brain.roster().find(7)->scaling.told().mean.size() == 5);
}

TEST_CASE("a training that needs more nodes than there are gets none") {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 3, 100000);
  w.look();
  CHECK(w.registers(7).find("offer") == std::string::npos);
}

TEST_CASE("of progress only what is shown is kept") {
  World w;
  w.holes("n[1-2]");
  w.base_job(7, 1, 2);
  w.look();
  w.registers(7);
  msg::Progress progress;
  progress.generation = 1;
  progress.step = 5;
  progress.state = std::string(64, 'r');
  progress.nodes = std::vector<std::string>(100000, std::string(255, 'n'));
  w.says(7, progress);
  auto const& kept = w.brain.roster().find(7)->progress;
  CHECK(kept.step == 5);
  CHECK(kept.nodes.capacity() == 0);
  CHECK(kept.state.size() == 16);
}

}  // namespace
}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// Does the protocol keep its invariants in every history?  And would this
/// test notice if it did not?
///
/// GLEANER_MODEL_RUNS=n runs n histories, and looks for no defects of its own
/// if n is small; GLEANER_MODEL_SEED=s runs only that one, telling it on
/// standard error.  `make check-mutants` puts defects into the protocol itself,
/// and runs the cases tagged [histories], then the others but those tagged
/// [noticing].
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "simulation.hh"
#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

using simulation::Counts;
using simulation::Faults;
using simulation::Hold;
using simulation::Mutant;
using simulation::Violation;
using simulation::World;

std::uint64_t number_from(char const* variable, std::uint64_t otherwise) {
  char const* text = std::getenv(variable);
  return text ? std::stoull(text) : otherwise;
}

/// What the histories of seeds 1 to `seeds` came to.  On all cores: a history
/// is a function of its seed alone.  After a violation no new ones are begun.
class Histories {
 public:
  Histories(std::uint64_t seeds, Faults faults, Mutant mutant,
            ShareRules rules = {})
      : seeds_(seeds), faults_(faults), mutant_(mutant), rules_(rules) {
    std::vector<std::future<void>> workers;
    for (auto n = std::max(1u, std::thread::hardware_concurrency()); n > 0; --n)
      workers.push_back(std::async(std::launch::async, [this] { work(); }));
    for (auto& worker : workers) worker.get();
  }

  Counts const& counts() const { return counts_; }

  /// One that was found, if any.
  std::optional<std::string> violation() const {
    if (violations_.empty()) return std::nullopt;
    auto const& [seed, what] = *violations_.begin();
    return "seed " + std::to_string(seed) + ": " + what;
  }

 private:
  void work() {
    Counts counts;
    std::optional<std::pair<std::uint64_t, std::string>> violation;
    while (!violation && !stop_) {
      auto const seed = next_++;
      if (seed > seeds_) break;
      World world(seed, faults_, mutant_, rules_);
      try {
        world.run();
        counts.add(world.counts());
      } catch (Violation const& why) {
        violation.emplace(seed, why.what());
        stop_ = true;
      }
    }
    std::lock_guard lock(mutex_);
    counts_.add(counts);
    if (violation) violations_.insert(*violation);
  }

  std::uint64_t const seeds_;
  Faults const faults_;
  Mutant const mutant_;
  ShareRules const rules_;
  std::atomic<std::uint64_t> next_{1};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  ///< for what follows
  Counts counts_;
  std::map<std::uint64_t, std::string> violations_;
};

}  // namespace

TEST_CASE("every history keeps the invariants and ends", "[histories]") {
  if (auto const seed = number_from("GLEANER_MODEL_SEED", 0)) {
    World world(seed, Faults::all);
    world.trace();
    CHECK_NOTHROW(world.run());
    return;
  }
  Histories const histories(number_from("GLEANER_MODEL_RUNS", 20000),
                            Faults::all, Mutant::none);
  INFO(histories.violation().value_or(""));
  CHECK_FALSE(histories.violation());
  auto const& counts = histories.counts();
  WARN(counts.text());
  // Without these, the histories would prove little.
  CHECK(counts.kills > counts.histories / 2);
  CHECK(counts.switches > counts.histories / 4);
  CHECK(counts.foretold > counts.histories / 10);
  CHECK(counts.followed > counts.histories / 20);
  CHECK(counts.parks > 0);
  CHECK(counts.rollbacks > 0);
  CHECK(counts.withdrawals > 0);
  CHECK(counts.parts > counts.histories);
  CHECK(counts.tried_again > counts.histories / 10);
  constexpr std::uint64_t rare = 5000;  // what fewer histories may lack
  if (counts.histories < rare) return;
  CHECK(counts.takeovers > 0);
  CHECK(counts.spoiled > counts.histories / 50);
  CHECK(counts.stopped > counts.histories / 50);
  CHECK(counts.withdrawn > 0);
  CHECK(counts.late_withdrawals > 0);  // of an offer that is agreed already
  CHECK(counts.overdue > 0);           // leavers, at their deadline
  CHECK(counts.never_ready > 0);
  CHECK(counts.stuck > 0);
  CHECK(counts.jams > 0);
  CHECK(counts.not_quiet > 0);
  CHECK(counts.holds > 0);
  CHECK(counts.thaws > 0);
  CHECK(counts.refused > 0);  // of those that were lost, and came back
}

TEST_CASE("a member may stop when it has all of a step and nothing of the next",
          "[histories]") {
  auto const fate =
      GENERATE(Hold::Fate::dies, Hold::Fate::thaws, Hold::Fate::is_lost);
  auto const order = GENERATE(Hold::Order::first, Hold::Order::last);
  auto const step = GENERATE(1, 2, 5);
  Counts counts;
  auto const seeds = std::clamp<std::uint64_t>(
      number_from("GLEANER_MODEL_RUNS", 20000) / 100, 12, 60);
  for (std::size_t rank = 0; rank < 3; ++rank)
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      INFO("fate " << static_cast<int>(fate) << " order "
                   << static_cast<int>(order) << " step " << step << " rank "
                   << rank << " seed " << seed);
      World world(seed, Faults::none);
      world.hold({rank, step, fate, order});
      REQUIRE_NOTHROW(world.run());
      counts.add(world.counts());
    }
  INFO(counts.text());
  CHECK(counts.holds > counts.histories / 2);  // others have too few members
  if (fate == Hold::Fate::thaws)
    CHECK(counts.recoveries == 0);
  else
    CHECK(counts.recoveries > counts.holds / 2);
}

TEST_CASE("with recompute no step is short", "[histories]") {
  ShareRules rules;
  rules.on_loss = OnLoss::recompute;
  SECTION("a member's part is one share") {}
  SECTION("a step is cut into shards") { rules.shards = 5; }
  if (auto const seed = number_from("GLEANER_MODEL_SEED", 0)) {
    World world(seed, Faults::all, Mutant::none, rules);
    world.trace();
    CHECK_NOTHROW(world.run());
    return;
  }
  Histories const histories(number_from("GLEANER_MODEL_RUNS", 20000) / 5,
                            Faults::all, Mutant::none, rules);
  INFO(histories.violation().value_or(""));
  CHECK_FALSE(histories.violation());
  auto const& counts = histories.counts();
  WARN(counts.text());
  CHECK(counts.kills > counts.histories / 2);
  CHECK(counts.shares > counts.histories / 20);  // or little was recomputed
  CHECK(counts.short_steps == 0);
  constexpr std::uint64_t rare = 2000;  // what fewer histories may lack
  if (counts.histories < rare) return;
  CHECK(counts.takeovers > 0);
  CHECK(counts.followed > counts.histories / 20);
  CHECK(counts.lost_again > 0);  // in a step that was recomputed already
}

TEST_CASE("planned changes lose nothing", "[histories]") {
  Histories const histories(1000, Faults::none, Mutant::none);
  INFO(histories.violation().value_or(""));
  CHECK_FALSE(histories.violation());
  auto const& counts = histories.counts();
  INFO(counts.text());
  CHECK(counts.switches > 400);
  CHECK(counts.parks > 0);
  CHECK(counts.recoveries == 0);
  CHECK(counts.rollbacks == 0);
  CHECK(counts.short_steps == 0);
  CHECK(counts.redone == 0);
}

/// Some defects show in one of thousands, so they are not looked for where
/// fewer were asked for: in slow builds, whose tests ask something else.
constexpr std::uint64_t enough_to_notice = 5000;
bool looks_for_defects() {
  return number_from("GLEANER_MODEL_RUNS", 20000) >= enough_to_notice;
}

TEST_CASE("a defect around the protocol is noticed", "[noticing]") {
  auto const mutant = GENERATE(Mutant::early_stable, Mutant::hasty_leaver,
                               Mutant::joiner_as_source, Mutant::mixed_buckets,
                               Mutant::early_reuse, Mutant::torn_takeover,
                               Mutant::missed_reduction, Mutant::late_snapshot,
                               Mutant::forgetful_rank_0);
  INFO("mutant " << static_cast<int>(mutant));
  if (!looks_for_defects()) return;
  CHECK(Histories(enough_to_notice, Faults::all, mutant).violation());
}

TEST_CASE("a share that is not computed is noticed", "[noticing]") {
  if (!looks_for_defects()) return;
  Histories const histories(enough_to_notice, Faults::all,
                            Mutant::skipped_share, {OnLoss::recompute, 0});
  CHECK(histories.violation());
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// What is said of a slurm.conf under which leases would not work.
#include "slurm/setup.hh"

#include <algorithm>

#include "test/unit/catch.hh"

using namespace gleaner;

namespace {

using Preempt = PartitionFacts::Preempt;

PartitionFacts partition(std::string name, int tier, Preempt preempt,
                         std::vector<std::string> nodes) {
  PartitionFacts facts;
  facts.name = std::move(name);
  facts.priority_tier = tier;
  facts.preempt = preempt;
  facts.nodes = std::move(nodes);
  return facts;
}

/// A slurm.conf as doc/admin.md asks for it.
SlurmConfFacts good() {
  SlurmConfFacts facts;
  facts.version = "22.05.8";
  facts.job_submit_plugins = "lua,gleaner";
  facts.prep_plugins = "prep/script,prep/gleaner";
  facts.scheduler_type = "sched/gleaner";
  facts.scheduler_parameters = "bf_interval=30,bf_continue";
  facts.preempt_type = "preempt/partition_prio";
  facts.licences = "matlab:20,gleaner:1";
  auto lease = partition("lease", 1, Preempt::cancel, {"n1", "n2"});
  lease.needs_reservation = true;
  facts.partitions = {partition("main", 10, Preempt::off, {"n1", "n2"}), lease,
                      partition("head", 10, Preempt::off, {"h1"})};
  return facts;
}

Config config() {
  Config config;
  config.lease_partition = "lease";
  config.head_partition = "head";
  config.reservation = "gleaner";
  config.licence = "gleaner";
  config.scavenger = "plugin";
  return config;
}

bool mentions(std::vector<std::string> const& findings, char const* text) {
  return std::any_of(findings.begin(), findings.end(), [&](auto const& one) {
    return one.find(text) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("a slurm.conf as documented has no findings") {
  auto const setup = judge_setup(good(), config());
  CHECK(setup.version == "22.05.8");
  CHECK(setup.guarded);
  CHECK(setup.licensed);
  CHECK(setup.errors.empty());
  CHECK(setup.warnings.empty());
}

TEST_CASE("what stops leases is an error that names the setting") {
  struct Row {
    char const* mentions;
    void (*spoil)(SlurmConfFacts*);
  };
  for (auto const& row : std::initializer_list<Row>{
           {"JobSubmitPlugins='lua'",
            [](auto* f) { f->job_submit_plugins = "lua"; }},
           {"SchedulerType='sched/builtin'",
            [](auto* f) { f->scheduler_type = "sched/builtin"; }},
           {"lacks 'gleaner'", [](auto* f) { f->licences = "matlab:20"; }},
           {"defer", [](auto* f) { f->scheduler_parameters = "defer"; }},
           {"PreemptType='preempt/none'",
            [](auto* f) { f->preempt_type = "preempt/none"; }},
           {"PreemptMode=CANCEL",
            [](auto* f) { f->partitions[1].preempt = Preempt::other; }},
           {"GraceTime=5", [](auto* f) { f->partitions[1].grace_time_s = 5; }},
           {"default partition",
            [](auto* f) { f->partitions[1].is_default = true; }},
           {"PriorityTier=1",
            [](auto* f) { f->partitions[0].priority_tier = 1; }},
           {"no partition 'lease'",
            [](auto* f) { f->partitions.erase(f->partitions.begin() + 1); }},
           {"no partition 'head'", [](auto* f) { f->partitions.pop_back(); }},
       }) {
    CAPTURE(row.mentions);
    auto facts = good();
    row.spoil(&facts);
    CHECK(mentions(judge_setup(facts, config()).errors, row.mentions));
  }
}

TEST_CASE("what makes leases slow or others suffer is a warning") {
  struct Row {
    char const* mentions;
    void (*spoil)(SlurmConfFacts*);
  };
  for (auto const& row : std::initializer_list<Row>{
           {"prep/gleaner", [](auto* f) { f->prep_plugins = "prep/script"; }},
           {"CompleteWait=10", [](auto* f) { f->complete_wait_s = 10; }},
           {"PreemptMode=OFF",
            [](auto* f) { f->partitions[0].preempt = Preempt::cancel; }},
           {"ReqResv=YES",
            [](auto* f) { f->partitions[1].needs_reservation = false; }},
       }) {
    CAPTURE(row.mentions);
    auto facts = good();
    row.spoil(&facts);
    auto const setup = judge_setup(facts, config());
    CHECK(setup.errors.empty());
    CHECK(mentions(setup.warnings, row.mentions));
  }
}

TEST_CASE("defer_batch is not defer") {
  auto facts = good();
  facts.scheduler_parameters = "defer_batch,bf_interval=30";
  CHECK(judge_setup(facts, config()).errors.empty());
}

TEST_CASE("a tier that shares no nodes with the leases does not matter") {
  auto facts = good();
  facts.partitions[2].priority_tier = 1;
  CHECK(judge_setup(facts, config()).errors.empty());
}

TEST_CASE("with scavenger: poll any scheduler will do") {
  auto facts = good();
  facts.scheduler_type = "sched/builtin";
  auto polling = config();
  polling.scavenger = "poll";
  CHECK(judge_setup(facts, polling).errors.empty());
}

TEST_CASE("list_has finds an item whatever follows it") {
  CHECK(list_has("matlab:2,gleaner:1", "gleaner"));
  CHECK(list_has("gleaner@db:1", "gleaner"));
  CHECK(list_has("a; gleaner", "gleaner"));
  CHECK(list_has("a|gleaner=2", "gleaner"));
  CHECK_FALSE(list_has("gleaner2:1", "gleaner"));
  CHECK_FALSE(list_has("mygleaner", "gleaner"));
  CHECK_FALSE(list_has("", "gleaner"));
  CHECK_FALSE(list_has("a,,b", ""));
}

// SPDX-License-Identifier: Apache-2.0
/// What is said of a Slurm under which leases would not work, or would hurt.
#include "slurm/setup.hh"

#include <algorithm>

#include "test/unit/catch.hh"

namespace gleaner::slurm {

namespace {

using Preempt = PartitionFacts::Preempt;
using Severity = Finding::Severity;

PartitionFacts partition(std::string name, int tier, Preempt preempt,
                         std::vector<std::string> nodes) {
  PartitionFacts facts;
  facts.name = std::move(name);
  facts.priority_tier = tier;
  facts.preempt = preempt;
  facts.nodes = std::move(nodes);
  return facts;
}

/// A Slurm as doc/admin.md asks for it.
SlurmConfFacts good() {
  SlurmConfFacts facts;
  facts.version = "22.05.8";
  facts.built_for = "22.05";
  facts.job_submit_plugins = "lua,gleaner";
  facts.prep_plugins = "prep/script,prep/gleaner";
  facts.scheduler_type = "sched/gleaner";
  facts.scheduler_parameters = "bf_interval=30,bf_continue";
  facts.preempt_type = "preempt/partition_prio";
  facts.licences = "matlab:20,gleaner:1";
  facts.mcs_plugin = "mcs/none";
  auto lease = partition("lease", 1, Preempt::cancel, {"n1", "n2"});
  lease.needs_reservation = true;
  facts.partitions = {partition("main", 10, Preempt::off, {"n1", "n2"}), lease,
                      partition("head", 10, Preempt::off, {"h1"})};
  facts.has_reservation = true;
  facts.clock_ahead_s = 0;
  facts.slurm_user = "slurm";
  facts.head_memory_mb = 64000;
  return facts;
}

/// The same with slurmdbd, an account and a QOS for leases.
SlurmConfFacts accounted() {
  auto facts = good();
  facts.enforces_associations = facts.enforces_limits = true;
  QosFacts normal, gleaner;
  normal.name = "normal";
  gleaner.name = "gleaner";
  gleaner.usage_factor = 0;
  facts.accounting = AccountingFacts{{normal, gleaner}, true};
  return facts;
}

/// The same, preempting by QOS.
SlurmConfFacts by_qos() {
  auto facts = accounted();
  facts.preempt_type = "preempt/qos";
  facts.accounting->qos[0].preempts = {"gleaner"};
  return facts;
}

/// Is there such a finding that contains this text?
bool says(SlurmSetup const& setup, Severity severity, std::string const& text) {
  return std::any_of(setup.findings.begin(), setup.findings.end(),
                     [&](auto& f) {
                       return f.severity == severity &&
                              f.text().find(text) != std::string::npos;
                     });
}

Config config() {
  auto config = default_config();
  config.arrival_hold_s = 30;
  return config;
}

Config config_with_account() {
  auto result = config();
  result.lease_account = result.lease_qos = "gleaner";
  return result;
}

/// "PreemptType='preempt/none' (…) [PreemptType=…]" of all that is not ok.
std::string said(SlurmSetup const& setup, Severity severity) {
  std::string text;
  for (auto const& finding : setup.findings)
    if (finding.severity == severity) text += finding.text() + "\n";
  return text;
}

struct Row {
  char const* mentions;  ///< of the finding
  char const* remedy;    ///< of what is to be done
  void (*spoil)(SlurmConfFacts*);
};

/// Each row's configuration has exactly one finding that is not ok: this one.
void check(std::vector<Row> const& rows, SlurmConfFacts (*sound)(),
           Config const& config, Severity severity) {
  for (auto const& row : rows) {
    CAPTURE(row.mentions);
    auto facts = sound();
    row.spoil(&facts);
    auto const setup = judge_setup(facts, config);
    std::vector<Finding> found;
    for (auto const& finding : setup.findings)
      if (finding.severity != Severity::ok) found.push_back(finding);
    REQUIRE(found.size() == 1);
    CAPTURE(found[0].text());
    CHECK(found[0].severity == severity);
    CHECK(found[0].what.find(row.mentions) != std::string::npos);
    CHECK(found[0].remedy.find(row.remedy) != std::string::npos);
    CHECK(setup.refuses() == (severity == Severity::refuse));
  }
}

}  // namespace

TEST_CASE("a Slurm as documented has no findings but that it is in order") {
  for (auto const& [facts, settings] :
       {std::pair(good(), config()),
        std::pair(accounted(), config_with_account()),
        std::pair(by_qos(), config_with_account())}) {
    auto const setup = judge_setup(facts, settings);
    CHECK(setup.version == "22.05.8");
    CHECK(setup.guarded);
    CHECK(setup.licensed);
    CHECK(setup.nodes.to_string() == "n[1-2]");
    CHECK(said(setup, Severity::warn) == "");
    CHECK(said(setup, Severity::refuse) == "");
    CHECK(setup.findings.size() > 10);
  }
}

TEST_CASE("what stops leases, or harms others, refuses and names the line") {
  check(
      {
          {"slurmctld is 24.11.5, Gleaner was built for 22.05", "build Gleaner",
           [](auto* f) { f->version = "24.11.5"; }},
          {"SlurmUser is 'ada', slurm_user 'slurm'", "slurm_user: ada",
           [](auto* f) { f->slurm_user = "ada"; }},
          {"JobSubmitPlugins='lua'", "JobSubmitPlugins=lua,gleaner",
           [](auto* f) { f->job_submit_plugins = "lua"; }},
          {"all_partitions", "Default=YES",
           [](auto* f) { f->job_submit_plugins = "all_partitions,gleaner"; }},
          {"SchedulerType='sched/builtin'", "SchedulerType=sched/gleaner",
           [](auto* f) { f->scheduler_type = "sched/builtin"; }},
          {"lacks 'gleaner'", "Licenses=matlab:20,gleaner:1",
           [](auto* f) { f->licences = "matlab:20"; }},
          {"has defer", "take defer out",
           [](auto* f) { f->scheduler_parameters = "defer,bf_interval=30"; }},
          {"PreemptType='preempt/none'", "PreemptType=preempt/partition_prio",
           [](auto* f) { f->preempt_type = "preempt/none"; }},
          {"PreemptExemptTime=60", "PreemptExemptTime=0",
           [](auto* f) { f->preempt_exempt_s = 60; }},
          {"min_exempt_priority=10", "take it out",
           [](auto* f) { f->preempt_parameters = "min_exempt_priority=10"; }},
          {"PreemptMode=CANCEL", "PartitionName=lease … PreemptMode=CANCEL",
           [](auto* f) { f->partitions[1].preempt = Preempt::other; }},
          {"GraceTime=5", "PartitionName=lease … GraceTime=0",
           [](auto* f) { f->partitions[1].grace_time_s = 5; }},
          {"OverSubscribe=FORCE", "OverSubscribe=NO",
           [](auto* f) { f->partitions[1].forces_sharing = true; }},
          {"default partition", "Default=NO",
           [](auto* f) { f->partitions[1].is_default = true; }},
          {"AllocNodes=ALL, which Slurm takes for the name of a node",
           "name the nodes of partition 'head'",
           [](auto* f) { f->partitions[1].alloc_nodes = "ALL"; }},
          {"is not UP", "scontrol update PartitionName=lease State=UP",
           [](auto* f) { f->partitions[1].up = false; }},
          {"MaxTime=5 min", "MaxTime=INFINITE",
           [](auto* f) { f->partitions[1].minutes_max = 5; }},
          {"no lease for the jobs of other users",
           "PartitionName=lease … ExclusiveUser=NO",
           [](auto* f) { f->partitions[1].one_user_a_node = true; }},
          {"off its whole block", "PartitionName=lease … ExclusiveTopo=NO",
           [](auto* f) { f->partitions[1].one_job_a_block = true; }},
          {"PriorityTier=1", "PartitionName=main … PriorityTier=2",
           [](auto* f) { f->partitions[0].priority_tier = 1; }},
          {"no partition 'lease'", "PartitionName=lease",
           [](auto* f) { f->partitions.erase(f->partitions.begin() + 1); }},
          {"no partition 'head'", "head_partition",
           [](auto* f) { f->partitions.pop_back(); }},
          {"MinJobAge=0", "MinJobAge=300",
           [](auto* f) { f->job_age_s_min = 0; }},
          {"up to 3600 ended leases (leases_per_hour_max: 3600, "
           "MinJobAge=3600) of MaxJobCount=5000",
           "MaxJobCount=25000",
           [](auto* f) { f->job_age_s_min = 3600, f->jobs_max = 5000; }},
          {"federation 'two'", "sacctmgr modify federation two",
           [](auto* f) { f->federation = "two"; }},
          {"8 s behind slurmctld's", "chrony",
           [](auto* f) { f->clock_ahead_s = -8; }},
          {"is on NFS", "state_dir on a local disk",
           [](auto* f) { f->key_file_system = "NFS"; }},
      },
      good, config(), Severity::refuse);
}

TEST_CASE("which partition jobs without one go to is told") {
  auto facts = good();
  CHECK(judge_setup(facts, config()).default_partition == "");
  facts.partitions[0].is_default = true;
  CHECK(judge_setup(facts, config()).default_partition == "main");
}

TEST_CASE("nodes are kept as long as the time between two cycles of backfill") {
  auto facts = good();
  facts.scheduler_parameters = "bf_interval=60";
  auto follows = config();
  follows.arrival_hold_s = 0;
  auto const setup = judge_setup(facts, follows);
  CHECK(setup.bf_interval_s == 60);
  CHECK(said(setup, Severity::warn) == "");
}

TEST_CASE("what makes leases slow, or needs a person's eye, is a warning") {
  check(
      {
          {"prep/gleaner", "PrEpPlugins=prep/script,prep/gleaner",
           [](auto* f) { f->prep_plugins = "prep/script"; }},
          {"CompleteWait=10", "CompleteWait=0",
           [](auto* f) { f->complete_wait_s = 10; }},
          {"bf_interval is 60 s, arrival_hold_s 30 s", "arrival_hold_s: 0",
           [](auto* f) { f->scheduler_parameters = "bf_interval=60"; }},
          {"takes 544 MB of a head node, the largest seen has 500 MB",
           "head_memory_per_node_mb", [](auto* f) { f->head_memory_mb = 500; }},
          {"PreemptMode=OFF", "PartitionName=main … PreemptMode=OFF",
           [](auto* f) { f->partitions[0].preempt = Preempt::cancel; }},
          {"partition 'main' has ExclusiveUser=YES (Slurm preempts no lease "
           "of another user for its jobs: they get leased nodes when gleanerd "
           "has ended the leases, or while it is down, after up to "
           "lease_minutes_max: 10)",
           "out of partition 'lease'",
           [](auto* f) { f->partitions[0].one_user_a_node = true; }},
          {"partition 'main' has ExclusiveTopo=YES",
           "PartitionName=main … ExclusiveTopo=NO",
           [](auto* f) { f->partitions[0].one_job_a_block = true; }},
          {"ReqResv=YES", "PartitionName=lease … ReqResv=YES",
           [](auto* f) { f->partitions[1].needs_reservation = false; }},
          {"youngest_first", "take it out",
           [](auto* f) { f->preempt_parameters = "youngest_first"; }},
          {"youngest_first", "take it out",
           [](auto* f) {
             f->scheduler_parameters += ",preempt_youngest_first";
           }},
          {"reorder_count=100", "reorder_count=1",
           [](auto* f) {
             f->scheduler_parameters += ",preempt_reorder_count=100";
           }},
          {"KillWait=300", "KillWait=30",
           [](auto* f) { f->kill_wait_s = 300; }},
          {"MCSPlugin='mcs/user'", "mcs/none",
           [](auto* f) { f->mcs_plugin = "mcs/user"; }},
          {"Epilog=/etc/slurm/epilog", "SLURM_JOB_PARTITION is lease",
           [](auto* f) { f->epilogs = {"/etc/slurm/epilog"}; }},
          {"Prolog=/etc/slurm/prolog", "SLURM_JOB_PARTITION is lease",
           [](auto* f) { f->prologs = {"/etc/slurm/prolog"}; }},
          {"/etc/slurm/ctl", "SLURM_JOB_PARTITION is lease",
           [](auto* f) { f->ctl_scripts = {"/etc/slurm/ctl"}; }},
          {"up to 1800 ended leases", "MaxJobCount=25000",
           [](auto* f) { f->job_age_s_min = 1800, f->jobs_max = 5000; }},
          {"30 requests at once and 2 a second", "rl_bucket_size=300",
           [](auto* f) { f->slurmctld_parameters = "rl_enable"; }},
          {"300 requests at once and 5 a second", "rl_refill_rate=30",
           [](auto* f) {
             f->slurmctld_parameters =
                 "rl_enable,rl_bucket_size=300,rl_refill_rate=5";
           }},
          {"OverTimeLimit=UNLIMITED", "OverTimeLimit=0",
           [](auto* f) { f->over_time_limit_min = -1; }},
          {"OverTimeLimit=60 min", "OverTimeLimit=0",
           [](auto* f) { f->over_time_limit_min = 60; }},
          {"3 s ahead of slurmctld's", "chrony",
           [](auto* f) { f->clock_ahead_s = 3; }},
          {"but not gleaner.yaml", "GLEANER_CONF",
           [](auto* f) { f->slurmctld_parameters = "enable_configless"; }},
          {"backup controller", "A backup controller",
           [](auto* f) { f->has_backup = true; }},
          {"lease_account is empty, and limits are enforced",
           "lease_account: gleaner",
           [](auto* f) {
             f->enforces_limits = true;
             f->accounting = AccountingFacts{};
           }},
      },
      good, config(), Severity::warn);
}

TEST_CASE("with accounting the account and the QOS of leases must be there") {
  check(
      {
          {"no association has the account 'gleaner'",
           "sacctmgr add account gleaner",
           [](auto* f) { f->accounting->has_lease_account = false; }},
          {"no QOS 'gleaner'", "sacctmgr add qos gleaner",
           [](auto* f) { f->accounting->qos.pop_back(); }},
          {"QOS 'gleaner' has GraceTime=30", "set GraceTime=0",
           [](auto* f) { f->accounting->qos[1].grace_time_s = 30; }},
          {"QOS 'gleaner' has PreemptExemptTime=60", "set PreemptExemptTime=-1",
           [](auto* f) { f->accounting->qos[1].exempt_s = 60; }},
          {"AllowAccounts=physics", "AllowAccounts=gleaner",
           [](auto* f) { f->partitions[1].allowed_accounts = "physics"; }},
          {"AllowQos=normal", "AllowQos=gleaner",
           [](auto* f) { f->partitions[1].allowed_qos = "normal"; }},
      },
      accounted, config_with_account(), Severity::refuse);
  check(
      {
          {"UsageFactor above 0", "set UsageFactor=0",
           [](auto* f) { f->accounting->qos[1].usage_factor = 1; }},
          {"they are set, but slurmctld keeps no accounts",
           "accounting_storage/slurmdbd",
           [](auto* f) { f->accounting.reset(); }},
      },
      accounted, config_with_account(), Severity::warn);
}

TEST_CASE("with preempt/qos every QOS must be able to preempt leases") {
  check(
      {
          {"jobs of QOS normal cannot preempt leases, of QOS 'gleaner'",
           "sacctmgr modify qos normal set preempt+=gleaner",
           [](auto* f) { f->accounting->qos[0].preempts.clear(); }},
          {"has a PreemptMode other than cancel", "set PreemptMode=cancel",
           [](auto* f) { f->accounting->qos[1].cancels = false; }},
      },
      by_qos, config_with_account(), Severity::refuse);
  auto const setup = judge_setup(by_qos(), config());
  CHECK(said(setup, Severity::refuse).find("lease_qos is empty") !=
        std::string::npos);
}

TEST_CASE("where many leases may end at once slurmctld pauses between looks") {
  auto facts = good();
  facts.partitions[1].nodes.clear();
  for (int i = 0; i < 101; ++i)
    facts.partitions[1].nodes.push_back("n" + std::to_string(i));
  facts.partitions[0].nodes = facts.partitions[1].nodes;
  auto settings = config();
  auto const warned = [&] {
    return says(judge_setup(facts, settings), Severity::warn,
                "sched_min_interval");
  };
  CHECK(said(judge_setup(facts, settings), Severity::warn)
            .find("sched_min_interval is 2 microseconds, and there may be 101 "
                  "leases") != std::string::npos);
  SECTION("two microseconds, the default, are too few") {
    facts.scheduler_parameters = "sched_min_interval=2";
    CHECK(warned());
  }
  SECTION("so is 0.2 s") {
    facts.scheduler_parameters = "sched_min_interval=200000";
    CHECK(warned());
  }
  SECTION("2 s is what doc/admin.md asks for") {
    facts.scheduler_parameters = "bf_continue,sched_min_interval=2000000";
    CHECK_FALSE(warned());
  }
  SECTION("a cap makes them few") {
    settings.leases_max = 100;
    CHECK_FALSE(warned());
  }
  SECTION("so do fewer nodes, unless these are lent in parts") {
    facts.partitions[0].nodes.resize(50);
    facts.partitions[1].nodes.resize(50);
    CHECK_FALSE(warned());
    settings.lease = Config::Lease::parts;
    settings.parts_per_node_max = 8;
    CHECK(warned());
  }
}

TEST_CASE("defer_batch is not defer") {
  auto facts = good();
  facts.scheduler_parameters = "defer_batch,bf_interval=30";
  CHECK_FALSE(judge_setup(facts, config()).refuses());
}

TEST_CASE("a tier that shares no nodes with the leases does not matter") {
  auto facts = good();
  facts.partitions[2].priority_tier = 1;
  CHECK_FALSE(judge_setup(facts, config()).refuses());
}

TEST_CASE("with scavenger: poll any scheduler will do, and no prep plugin") {
  auto facts = good();
  facts.scheduler_type = "sched/builtin";
  facts.prep_plugins = "prep/script";
  auto polling = config();
  polling.scavenger = Config::Scavenger::poll;
  auto const setup = judge_setup(facts, polling);
  CHECK(said(setup, Severity::refuse) + said(setup, Severity::warn) == "");
}

TEST_CASE("a clock that cannot be known is not judged") {
  auto facts = good();
  facts.clock_ahead_s.reset();
  auto const setup = judge_setup(facts, config());
  CHECK(std::none_of(setup.findings.begin(), setup.findings.end(),
                     [](auto& f) { return f.setting == "clocks"; }));
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

TEST_CASE("list_number reads what follows the equals sign") {
  CHECK(list_number("a,bf_interval=30,b", "bf_interval") == 30);
  CHECK(list_number("bf_interval=30", "interval") == std::nullopt);
  CHECK(list_number("bf_interval", "bf_interval") == std::nullopt);
  CHECK(list_number("bf_interval=soon", "bf_interval") == std::nullopt);
}

TEST_CASE(
    "parts of nodes need a Slurm that gives jobs exactly what they need") {
  struct Row {
    Severity severity;
    char const* says;
    void (*change)(SlurmConfFacts*);
  };
  for (auto const& row : std::initializer_list<Row>{
           {Severity::refuse, "SelectType=select/linear",
            [](auto* f) { f->select_type = "select/linear"; }},
           {Severity::refuse, "MCSPlugin='mcs/user'",
            [](auto* f) { f->mcs_plugin = "mcs/user"; }},
           {Severity::refuse, "OverSubscribe=EXCLUSIVE in partition 'lease'",
            [](auto* f) { f->partitions[1].one_job_a_node = true; }},
           {Severity::warn, "its nodes are lent whole",
            [](auto* f) { f->partitions[0].one_user_a_node = true; }},
           {Severity::warn, "reorder_count=1 is less than",
            [](auto* f) { f->preempt_parameters = ""; }},
           {Severity::warn, "TaskPlugin='task/none'",
            [](auto* f) { f->task_plugin = "task/none"; }},
           {Severity::warn, "memory is not allocated",
            [](auto* f) { f->counts_memory = false; }},
       }) {
    CAPTURE(row.says);
    auto facts = good();
    facts.preempt_parameters = "reorder_count=8";
    facts.task_plugin = "task/cgroup,task/affinity";
    auto parts = config();
    parts.lease = Config::Lease::parts;
    CHECK_FALSE(says(judge_setup(facts, parts), row.severity, row.says));
    row.change(&facts);
    CHECK(says(judge_setup(facts, parts), row.severity, row.says));
    // Whole nodes need none of it.
    auto const whole = judge_setup(facts, config());
    for (auto const& finding : whole.findings)
      if (finding.setting == "lease") CHECK(finding.severity == Severity::ok);
  }
}

}  // namespace gleaner::slurm

// SPDX-License-Identifier: Apache-2.0
/// Which holes, leases, trainers and demand a set of records means.
#include "slurm/snapshot.hh"

#include <string>
#include <utility>

#include "test/unit/catch.hh"

namespace gleaner::slurm {

namespace {

using State = JobRecord::State;
constexpr TimeS now_s = 1000;

SnapshotOptions const options{"lease", "head", "gleaner"};

NodeRecord idle(std::string name) {
  NodeRecord node;
  node.name = std::move(name);
  node.usable = node.idle = true;
  node.cpus = 4;
  node.memory_mb = 16000;
  node.gres = "gpu:4";
  return node;
}

NodeRecord busy(std::string name) {
  auto node = idle(std::move(name));
  node.idle = false;
  return node;
}

JobRecord job(JobId id, std::string partition, State state) {
  JobRecord record;
  record.job = id;
  record.partition = std::move(partition);
  record.state = state;
  record.eligible = state == State::pending;
  record.each.cpus = 1;
  return record;
}

JobRecord planned(JobId id, TimeS start_s, NodeSet nodes) {
  auto record = job(id, "main", State::pending);
  record.start_s = start_s;
  record.planned = std::move(nodes);
  return record;
}

JobRecord lease(JobId id, std::string node, State state = State::running) {
  auto record = job(id, "lease", state);
  record.admin_comment = "gleaner:lease trainer=5 ticket=90ab";
  record.nodes = {std::move(node)};
  return record;
}

/// Nodes n1, n2, n3 in `main` and `lease`; n9 is the head.
ClusterRecords cluster(std::vector<NodeRecord> nodes,
                       std::vector<JobRecord> jobs) {
  ClusterRecords records;
  records.nodes = std::move(nodes);
  records.jobs = std::move(jobs);
  records.partitions = {{"main", {"n1", "n2", "n3"}, 2},
                        {"long", {"n3", "n4"}, 1},
                        {"lease", {"n1", "n2", "n3"}, 1},
                        {"head", {"n9"}, 1}};
  return records;
}

Snapshot snapshot(ClusterRecords const& records) {
  return make_snapshot(records, options, now_s);
}

/// "n1 n2* n3@50#7": a star for leased, @ the end, # the job planned there.
std::string holes(ClusterRecords const& records) {
  std::string text;
  for (auto const& hole : snapshot(records).holes) {
    text += (text.empty() ? "" : " ") + hole.node + (hole.leased ? "*" : "");
    if (hole.end_s) text += "@" + std::to_string(static_cast<int>(*hole.end_s));
    if (hole.planned_job) text += "#" + std::to_string(hole.planned_job);
  }
  return text;
}

}  // namespace

TEST_CASE("holes are the idle nodes of the lease partition, by name") {
  CHECK(holes(cluster({idle("n3"), idle("n1"), busy("n2"), idle("n9")}, {})) ==
        "n1 n3");
}

TEST_CASE("a node that is down, draining, reserved or completing is no hole") {
  auto node = idle("n1");
  node.usable = node.idle = false;
  CHECK(holes(cluster({node}, {})) == "");
  SECTION("even while a lease holds it") {
    CHECK(holes(cluster({node}, {lease(8, "n1")})) == "");
  }
}

TEST_CASE("a CLOUD node that is up is a hole only if that is asked for") {
  // Lent, it would never be idle for SuspendTime, and so never be powered down.
  auto records = cluster({idle("n1"), idle("n2")}, {});
  records.nodes[0].cloud = true;
  CHECK(holes(records) == "n2");
  auto lending = options;
  lending.lend_cloud = true;
  CHECK(make_snapshot(records, lending, now_s).holes.size() == 2);
}

TEST_CASE("a node that only a lease holds is a leased hole") {
  CHECK(holes(cluster({busy("n1")}, {lease(8, "n1")})) == "n1*");
  SECTION("but not while the lease is completing") {
    CHECK(holes(cluster({busy("n1")}, {lease(8, "n1", State::completing)})) ==
          "");
  }
  SECTION("nor when the job in the lease partition is not ours") {
    auto alien = lease(8, "n1");
    alien.admin_comment = "";
    CHECK(holes(cluster({busy("n1")}, {alien})) == "");
  }
  SECTION("nor when another job is there too") {
    auto other = job(9, "main", State::running);
    other.nodes = {"n1"};
    CHECK(holes(cluster({busy("n1")}, {lease(8, "n1"), other})) == "");
  }
}

TEST_CASE("a job listed on a node that still looks idle closes the hole") {
  auto running = job(9, "main", State::running);
  running.nodes = {"n1"};
  CHECK(holes(cluster({idle("n1"), idle("n2")}, {running})) == "n2");
  auto suspended = job(9, "main", State::suspended);
  suspended.nodes = {"n1"};
  CHECK(holes(cluster({idle("n1"), idle("n2")}, {suspended})) == "n2");
}

TEST_CASE("a hole ends at the earliest planned start on it") {
  CHECK(holes(cluster(
            {idle("n1"), idle("n2"), idle("n3")},
            {planned(20, 1300, {"n1", "n2"}), planned(21, 1200, {"n2"})})) ==
        "n1@1300#20 n2@1200#21 n3");
}

TEST_CASE("a leased hole ends like any other") {
  CHECK(holes(cluster({busy("n1")},
                      {lease(8, "n1"), planned(20, 1300, {"n1"})})) ==
        "n1*@1300#20");
}

TEST_CASE("a plan already past means at once") {
  CHECK(holes(cluster({idle("n1")}, {planned(20, 900, {"n1"})})) ==
        "n1@900#20");
}

TEST_CASE("a reservation's start ends a hole; ours does not") {
  auto records = cluster({idle("n1"), idle("n2")}, {planned(20, 1500, {"n1"})});
  records.reservations = {{"upgrade", 1400, {"n1"}, false},
                          {"gleaner", 10, {"n2"}, false}};
  CHECK(holes(records) == "n1@1400 n2");
}

TEST_CASE("without a lease partition there are no holes") {
  auto records = cluster({idle("n1")}, {});
  records.partitions.clear();
  CHECK(snapshot(records).holes.empty());
  CHECK(snapshot(records).nodes_total == 0);
}

TEST_CASE("nodes_total counts the nodes that can be lent at all") {
  CHECK(snapshot(cluster({idle("n1"), idle("n9")}, {})).nodes_total == 3);
}

TEST_CASE("a hole carries what the allocator needs of the node") {
  auto node = idle("n1");
  node.weight = 100;
  auto const hole = snapshot(cluster({node}, {})).holes.at(0);
  CHECK(hole.weight == 100);
  CHECK(hole.kind == 0);
}

TEST_CASE("nodes that are alike are of one kind") {
  auto big = idle("n2");
  big.gres = "gpu:b:4(S:0-1)";
  big.features = "fast,a100";
  auto const taken = snapshot(cluster({idle("n1"), big, busy("n3")}, {}));
  // n3 is in `long` as well.
  REQUIRE(taken.kinds.size() == 3);
  CHECK(taken.kinds[0].nodes == NodeSet{"n1"});
  CHECK(taken.kinds[0].total == Resources{4, 16000, {{"gpu", 4}}});
  CHECK(taken.kinds[0].partitions == std::vector<std::string>{"lease", "main"});
  CHECK(taken.kinds[1].total.gres == Gres{{"gpu:b", 4}});
  CHECK(taken.kinds[1].features == Features{"a100", "fast"});
  CHECK(taken.kinds[2].partitions ==
        std::vector<std::string>{"lease", "long", "main"});
  CHECK(taken.holes.at(1).kind == 1);
  CHECK(taken.kind_of("n3") == 2);
  CHECK(taken.kind_of("n4") == no_kind);
}

TEST_CASE("leases are the jobs of the lease partition, by id") {
  auto alien = lease(7, "n2");
  alien.admin_comment = "mine";
  auto ours = lease(8, "n1");
  ours.uid = 1000;
  ours.start_s = 950;
  ours.end_s = 1250;
  auto over = lease(9, "n3", State::over);
  auto const leases = snapshot(cluster({}, {ours, over, alien})).leases;
  REQUIRE(leases.size() == 2);
  CHECK(leases[0].job == 7);
  CHECK(leases[0].trainer == 0);
  CHECK(leases[1].job == 8);
  CHECK(leases[1].node == "n1");
  CHECK(leases[1].uid == 1000);
  CHECK(leases[1].trainer == 5);
  CHECK(leases[1].ticket == "90ab");
  CHECK(leases[1].running);
  CHECK(leases[1].start_s == 950);
  CHECK(leases[1].limit_s == 1250);
}

TEST_CASE("a lease that is ending is listed, but not as running") {
  auto const leases =
      snapshot(cluster({}, {lease(8, "n1", State::completing)})).leases;
  REQUIRE(leases.size() == 1);
  CHECK_FALSE(leases[0].running);
}

TEST_CASE("trainers are the marked jobs of the head partition") {
  auto base = job(5, "head", State::running);
  base.uid = 1000;
  base.name = "train.sh";
  base.submit_s = 900;
  base.admin_comment = "gleaner:trainer nodes=2-16 lease=--gres=gpu:4";
  auto waiting = base;
  waiting.job = 4;
  waiting.state = State::pending;
  waiting.eligible = true;
  auto other = job(6, "head", State::running);
  auto moved = base;
  moved.job = 3;
  moved.partition = "main";
  auto const taken = snapshot(cluster({}, {base, waiting, other, moved}));
  REQUIRE(taken.trainers.size() == 2);
  CHECK(taken.trainers[0].job == 4);
  CHECK_FALSE(taken.trainers[0].running);
  CHECK(taken.trainers[1].job == 5);
  CHECK(taken.trainers[1].running);
  CHECK(taken.trainers[1].uid == 1000);
  CHECK(taken.trainers[1].name == "train.sh");
  CHECK(taken.trainers[1].nodes_min == 2);
  CHECK(taken.trainers[1].nodes_max == 16);
  CHECK(taken.trainers[1].lease_template == "--gres=gpu:4");
  CHECK(taken.trainers[1].submit_s == 900);
  CHECK(taken.pending.empty());
}

TEST_CASE("pending holds the eligible rigid jobs, highest priority first") {
  auto low = job(20, "main", State::pending);
  low.priority = 10;
  auto high = job(22, "main", State::pending);
  high.priority = 50;
  high.nodes_min = 2;
  high.required = {"n1"};
  high.excluded = {"n3"};
  auto same = high;
  same.job = 21;
  auto held = job(23, "main", State::pending);
  held.eligible = false;
  auto const pending =
      snapshot(cluster({idle("n1"), idle("n2")}, {low, high, held, same}))
          .pending;
  REQUIRE(pending.size() == 3);
  CHECK(pending[0].job == 21);
  CHECK(pending[1].job == 22);
  CHECK(pending[1].nodes == 2);
  CHECK(pending[1].required == NodeSet{"n1"});
  CHECK(pending[1].excluded == NodeSet{"n3"});
  CHECK(pending[2].job == 20);
  CHECK(pending[2].nodes == 1);
}

namespace {

/// "n1 1 CPU, 12000 MB, gpu:3; …": what is free of shared nodes.
std::string shared(ClusterRecords const& records) {
  std::string text;
  for (auto const& node : snapshot(records).shared)
    text += (text.empty() ? "" : "; ") + node.node + " " + to_string(node.free);
  return text;
}

}  // namespace

TEST_CASE("a node that jobs use in part is shared, with what they leave") {
  auto one = job(20, "main", State::running);
  one.nodes = {"n1"};
  auto two = job(21, "main", State::running);
  two.nodes = {"n1", "n2"};
  two.each.cpus = 2;
  auto alone = job(22, "main", State::running);
  alone.nodes = {"n3"};
  alone.whole = true;
  auto n1 = busy("n1"), n2 = busy("n2");
  n1.memory_used_mb = 4000;
  n1.gres_used = "gpu:1";
  CHECK(shared(cluster({n1, n2, busy("n3")}, {one, two, alone})) ==
        "n1 1 CPU, 12000 MB, gpu:3; n2 2 CPUs, 16000 MB");
}

TEST_CASE("an idle node that is not to be lent is shared whole") {
  auto idle_head = idle("n9");
  CHECK(shared(cluster({idle_head}, {})) == "n9 4 CPUs, 16000 MB, gpu:4");
}

TEST_CASE("CPUs that Slurm counts as used and no known job has are not free") {
  auto one = job(20, "main", State::running);
  one.nodes = {"n1"};
  auto n1 = busy("n1");
  n1.cpus_used = 3;
  CHECK(shared(cluster({n1}, {one})) == "n1 1 CPU, 16000 MB");
}

TEST_CASE("neither a full nor a leased nor a draining node is shared") {
  auto full = job(20, "main", State::running);
  full.nodes = {"n1"};
  full.each.cpus = 4;
  auto drained = job(21, "main", State::running);
  drained.nodes = {"n3"};
  auto draining = busy("n3");
  draining.usable = false;
  CHECK(snapshot(cluster({busy("n1"), busy("n2"), draining},
                         {full, lease(22, "n2"), drained}))
            .shared.empty());
}

TEST_CASE("a pending job tells when and where backfill plans it, if it does") {
  auto dated = job(21, "main", State::pending);
  dated.start_s = 1100;  // --begin, not a plan
  auto const pending =
      snapshot(cluster({idle("n1"), idle("n2")},
                       {planned(20, 1300, {"n1", "n2"}), dated}))
          .pending;
  REQUIRE(pending.size() == 2);
  CHECK(pending[0].start_s == 1300);
  CHECK(pending[0].planned == NodeSet{"n1", "n2"});
  CHECK_FALSE(pending[1].start_s);
}

TEST_CASE("every plan counts, also of jobs that are not told of") {
  auto first = planned(20, 1300, {"n1"});
  first.priority = 2;
  auto second = planned(21, 1200, {"n2"});
  second.priority = 1;
  auto const records = cluster({idle("n1"), idle("n2")}, {first, second});
  auto few = options;
  few.pending_max = 1;
  auto const taken = make_snapshot(records, few, now_s);
  REQUIRE(taken.pending.size() == 1);
  CHECK(taken.pending[0].job == 20);
  CHECK(taken.holes.at(1).end_s == 1200);
}

namespace {

/// "20 21x3": the jobs of a list, with their tasks where there are several.
std::string names(std::vector<PendingJob> const& jobs) {
  std::string text;
  for (auto const& job : jobs)
    text += (text.empty() ? "" : " ") + std::to_string(job.job) +
            (job.tasks == 1 ? "" : "x" + std::to_string(job.tasks));
  return text;
}

JobRecord waiting(JobId id, std::uint32_t priority, Uid uid = 1) {
  auto record = job(id, "main", State::pending);
  record.priority = priority;
  record.uid = uid;
  return record;
}

}  // namespace

TEST_CASE("of like jobs only as many are told of as nodes are open") {
  auto records = cluster({idle("n1"), idle("n2")},
                         {waiting(20, 9), waiting(21, 9), waiting(22, 9),
                          waiting(23, 1, 2), waiting(24, 1)});
  CHECK(names(snapshot(records).pending) == "20 21 23");
  SECTION("but all that differ in what they ask") {
    records.jobs[2].each.gres = {{"gpu", 1}};
    records.jobs[4].excluded = {"n1"};
    CHECK(names(snapshot(records).pending) == "20 21 22 23 24");
  }
  SECTION("tasks of arrays count") {
    records.jobs[0].tasks = 50;
    CHECK(names(snapshot(records).pending) == "20x2 23");
  }
  SECTION("one at least, so that it is known that jobs wait") {
    records.nodes.clear();
    CHECK(names(snapshot(records).pending) == "20 23");
  }
}

TEST_CASE("of an array only tasks that its %limit lets run are told of") {
  auto array = waiting(20, 9);
  array.array = 20;
  array.tasks = 5;
  array.tasks_max = 2;
  auto running = job(30, "main", State::running);
  running.array = 20;
  running.nodes = {"n1"};
  auto const nodes = std::vector{busy("n1"), idle("n2"), idle("n3")};
  CHECK(names(snapshot(cluster(nodes, {array})).pending) == "20x2");
  CHECK(names(snapshot(cluster(nodes, {array, running})).pending) == "20");
  CHECK(names(snapshot(cluster(nodes, {array, running, running})).pending) ==
        "");
}

TEST_CASE("jobs are tried by the tier of their partition first") {
  auto low_tier = waiting(20, 9);
  low_tier.partition = "long";
  auto either = waiting(22, 5);
  either.partition = "long,main";
  auto const nodes = std::vector{idle("n1"), idle("n2")};
  CHECK(names(snapshot(cluster(nodes, {low_tier, waiting(21, 1), either}))
                  .pending) == "22 21 20");
}

TEST_CASE("of too many jobs the first and the latest are told of") {
  auto records = cluster({idle("n1")}, {});
  for (JobId id = 0; id < 10; ++id) {
    records.jobs.push_back(waiting(20 + id, 100 - id, id));
    records.jobs.back().eligible_s = id == 8 ? 50 : 900 - id;
  }
  auto few = options;
  few.pending_max = 4;
  CHECK(names(make_snapshot(records, few, now_s).pending) == "20 21 22 23");
  records.jobs[9].eligible_s = 990;
  CHECK(names(make_snapshot(records, few, now_s).pending) == "20 21 22 29");
}

TEST_CASE("jobs that become eligible soon are told of, soonest first") {
  auto soon = waiting(20, 9);
  soon.eligible = false;
  soon.dated = true;
  soon.eligible_s = 1100;
  auto sooner = soon;
  sooner.job = 21;
  sooner.eligible_s = 1050;
  auto late = soon;
  late.job = 22;
  late.eligible_s = 2000;
  auto const taken = snapshot(cluster({idle("n1")}, {soon, sooner, late}));
  CHECK(names(taken.coming) == "21 20");
  CHECK(taken.pending.empty());
}

TEST_CASE("a job whose begin time is ours is told apart") {
  auto const notice = [](std::string const& comment, double begin_s) {
    auto job = waiting(20, 9);
    job.eligible = false;
    job.dated = true;
    job.submit_s = 1000;
    job.eligible_s = begin_s;
    job.admin_comment = comment;
    return snapshot(cluster({idle("n1")}, {job})).coming[0].on_notice;
  };
  CHECK(notice("gleaner:notice", 1002));
  CHECK_FALSE(notice("", 1002));
  CHECK_FALSE(notice("gleaner:notices", 1002));
  CHECK_FALSE(notice("gleaner:notice", 1121));  // it was requeued
}

TEST_CASE("of an array whose time comes as many tasks count as may run") {
  auto array = waiting(20, 9);
  array.eligible = false;
  array.dated = true;
  array.eligible_s = 1100;
  array.array = 20;
  array.tasks = 50;
  CHECK(snapshot(cluster({idle("n1")}, {array})).coming[0].tasks == 50);
  array.tasks_max = 5;
  CHECK(snapshot(cluster({idle("n1")}, {array})).coming[0].tasks == 5);
}

TEST_CASE("the nodes of a reservation are told of when a job waits for it") {
  auto inside = waiting(20, 9);
  inside.reservation = "course,other";
  auto records = cluster({idle("n1")}, {inside});
  records.reservations = {{"course", 10, {"n1", "n2"}, false},
                          {"flexible", 10, {"n3"}, true},
                          {"unused", 10, {"n3"}, false}};
  auto const known = snapshot(records).reservations;
  REQUIRE(known.size() == 1);
  CHECK(known.at("course") == NodeSet{"n1", "n2"});
}

TEST_CASE("leases that Slurm preempted are told for half a minute") {
  auto const preempted = [](JobId id, State state, TimeS end_s) {
    auto record = lease(id, "n1", state);
    record.preempted = true;
    record.end_s = end_s;
    return record;
  };
  auto rigid = preempted(14, State::over, 999);  // the site preempts, too
  rigid.partition = "main";
  auto const s =
      snapshot(cluster({idle("n1")}, {preempted(13, State::over, 980), rigid,
                                      preempted(12, State::completing, 999),
                                      preempted(11, State::over, 960),
                                      lease(10, "n1", State::over)}));
  REQUIRE(s.preempted.size() == 2);
  CHECK(s.preempted[0] == PreemptedLease{12, "n1", 999});
  CHECK(s.preempted[1] == PreemptedLease{13, "n1", 980});
  CHECK(s.leases.size() == 1);  // the one that completes
}

}  // namespace gleaner::slurm

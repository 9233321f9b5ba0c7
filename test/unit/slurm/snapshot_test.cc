// SPDX-License-Identifier: Apache-2.0
/// Which holes, leases, trainers and demand a set of records means.
#include "slurm/snapshot.hh"

#include <string>
#include <utility>

#include "test/unit/catch.hh"

using namespace gleaner;

namespace {

using State = JobRecord::State;
constexpr TimeS now_s = 1000;

SnapshotOptions const options{"lease", "head", "gleaner", 512};

NodeRecord idle(std::string name) {
  NodeRecord node;
  node.name = std::move(name);
  node.usable = node.idle = true;
  node.cpus = 4;
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
  return record;
}

JobRecord planned(JobId id, TimeS start_s, std::vector<std::string> nodes) {
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
  records.partitions = {{"main", {"n1", "n2", "n3"}},
                        {"long", {"n3", "n4"}},
                        {"lease", {"n1", "n2", "n3"}},
                        {"head", {"n9"}}};
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
  records.reservations = {{"upgrade", 1400, {"n1"}}, {"gleaner", 10, {"n2"}}};
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
  CHECK(hole.cpus == 4);
  CHECK(hole.gres == "gpu:4");
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
  auto const pending = snapshot(cluster({}, {low, high, held, same})).pending;
  REQUIRE(pending.size() == 3);
  CHECK(pending[0].job == 21);
  CHECK(pending[1].job == 22);
  CHECK(pending[1].nodes == 2);
  CHECK(pending[1].required == NodeSet{"n1"});
  CHECK(pending[1].excluded == NodeSet{"n3"});
  CHECK(pending[2].job == 20);
  CHECK(pending[2].nodes == 1);
}

TEST_CASE("a node that jobs use in part is shared, with the CPUs left") {
  auto one = job(20, "main", State::running);
  one.nodes = {"n1"};
  auto two = job(21, "main", State::running);
  two.nodes = {"n1", "n2"};
  two.cpus_per_node = 2;
  auto alone = job(22, "main", State::running);
  alone.nodes = {"n3"};
  alone.cpus_per_node = 0;
  auto const taken = snapshot(
      cluster({busy("n1"), busy("n2"), busy("n3")}, {one, two, alone}));
  REQUIRE(taken.shared.size() == 2);
  CHECK(taken.shared[0].node == "n1");
  CHECK(taken.shared[0].cpus_idle == 1);
  CHECK(taken.shared[1].node == "n2");
  CHECK(taken.shared[1].cpus_idle == 2);
}

TEST_CASE("neither a full nor a leased nor a draining node is shared") {
  auto full = job(20, "main", State::running);
  full.nodes = {"n1"};
  full.cpus_per_node = 4;
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
      snapshot(cluster({}, {planned(20, 1300, {"n1", "n2"}), dated})).pending;
  REQUIRE(pending.size() == 2);
  CHECK(pending[0].start_s == 1300);
  CHECK(pending[0].planned == NodeSet{"n1", "n2"});
  CHECK_FALSE(pending[1].start_s);
}

TEST_CASE("only so many pending jobs are kept, but every plan counts") {
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

TEST_CASE("partitions explains each text that a pending job names") {
  auto either = job(20, "main,long", State::pending);
  auto unknown = job(21, "gone", State::pending);
  auto const partitions = snapshot(cluster({}, {either, unknown})).partitions;
  REQUIRE(partitions.size() == 2);
  CHECK(partitions.at("main,long") == NodeSet{"n1", "n2", "n3", "n4"});
  CHECK(partitions.at("gone").empty());
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

// SPDX-License-Identifier: Apache-2.0
/// Which nodes a snapshot shows as lent in parts, and what it says of them.
#include <string>
#include <utility>

#include "slurm/snapshot.hh"
#include "test/unit/catch.hh"

namespace gleaner::slurm {

namespace {

using State = JobRecord::State;

NodeRecord node(std::string name) {
  NodeRecord node;
  node.name = std::move(name);
  node.usable = node.idle = true;
  node.cpus = 8;
  node.memory_mb = 32000;
  node.gres = "gpu:a:4";
  node.gres_used = "gpu:a:0";
  return node;
}

NodeRecord used(std::string name, int gpus) {
  auto used = node(std::move(name));
  used.idle = false;
  used.cpus_used = 2 * gpus;
  used.memory_used_mb = 8000 * gpus;
  used.gres_used = "gpu:a:" + std::to_string(gpus);
  return used;
}

JobRecord job(JobId id, std::string node, int gpus) {
  JobRecord job;
  job.job = id;
  job.partition = "main";
  job.state = State::running;
  job.nodes = {std::move(node)};
  job.each = {2 * gpus, 8000 * gpus, {{"gpu:a", gpus}}};
  job.end_s = 2000;
  return job;
}

JobRecord lease(JobId id, std::string node, int part) {
  auto lease = job(id, std::move(node), 1);
  lease.partition = "lease";
  lease.admin_comment =
      "gleaner:lease trainer=5 ticket=90ab part=" + std::to_string(part);
  return lease;
}

struct Look {
  ClusterRecords records;
  SnapshotOptions options{"lease", "head", "gleaner"};

  explicit Look(std::vector<NodeRecord> nodes,
                std::vector<JobRecord> jobs = {}) {
    records.nodes = std::move(nodes);
    records.jobs = std::move(jobs);
    records.partitions = {{"main", {"n1", "n2", "n3"}, 2},
                          {"gpu", {"n1"}, 2},
                          {"lease", {"n1", "n2", "n3"}, 1}};
    options.parts_per_node_max = 8;
  }

  Snapshot snapshot() const { return make_snapshot(records, options, 1000); }

  /// "n1 4 CPUs, 16000 MB, gpu:a:2 beside 20": of parted nodes.
  std::string parted() const {
    std::string text;
    for (auto const& node : snapshot().shared) {
      if (!node.parted) continue;
      text +=
          (text.empty() ? "" : "; ") + node.node + " " + to_string(node.free);
      for (auto const& use : node.running)
        text += " beside " + std::to_string(use.job);
    }
    return text;
  }
  std::string holes() const {
    std::string text;
    for (auto const& hole : snapshot().holes)
      text += (text.empty() ? "" : " ") + hole.node + (hole.leased ? "*" : "");
    return text;
  }
};

}  // namespace

TEST_CASE("an idle node is lent in parts where gleaner.yaml says so") {
  Look look({node("n1"), node("n2")});
  CHECK(look.parted() ==
        "n1 8 CPUs, 32000 MB, gpu:a:4; n2 8 CPUs, 32000 MB, gpu:a:4");
  CHECK(look.holes() == "");
  SECTION("but not where leases are whole nodes") {
    look.options.parts_per_node_max = 0;
    CHECK(look.parted() == "");
    CHECK(look.holes() == "n1 n2");
  }
  SECTION("nor outside of parts_partitions") {
    look.options.parts_partitions = {"gpu"};
    CHECK(look.parted() == "n1 8 CPUs, 32000 MB, gpu:a:4");
    CHECK(look.holes() == "n2");
  }
  SECTION("nor without GPUs") {
    look.records.nodes[1].gres = "";
    CHECK(look.parted() == "n1 8 CPUs, 32000 MB, gpu:a:4");
    CHECK(look.holes() == "n2");
  }
}

TEST_CASE("what jobs and leases leave of a node is free") {
  CHECK(
      Look({used("n1", 2)}, {job(20, "n1", 1), lease(30, "n1", 0)}).parted() ==
      "n1 4 CPUs, 16000 MB, gpu:a:2 beside 20");
}

TEST_CASE("a full node is told of too: leases on it could be returned") {
  CHECK(
      Look({used("n1", 4)}, {job(20, "n1", 3), lease(30, "n1", 0)}).parted() ==
      "n1 nothing beside 20");
}

TEST_CASE("the leases of parts are told by their places") {
  auto const snapshot =
      Look({used("n1", 2)}, {lease(30, "n1", 0), lease(31, "n1", 1)})
          .snapshot();
  REQUIRE(snapshot.leases.size() == 2);
  CHECK(snapshot.leases[1].node == "n1+1");
  CHECK(snapshot.leases[1].part == Resources{2, 8000, {{"gpu:a", 1}}});
}

TEST_CASE("a job that began after the nodes were asked for hides the GPUs") {
  auto stale = used("n1", 1);
  CHECK(Look({stale}, {job(20, "n1", 2)}).parted() ==
        "n1 4 CPUs, 24000 MB beside 20");
}

TEST_CASE("no parts beside a job that shares with nobody, or its user alone") {
  auto alone = job(20, "n1", 1);
  SECTION("--exclusive") { alone.whole = true; }
  SECTION("--exclusive=user") { alone.own_user_only = true; }
  Look look({used("n1", 1)}, {alone});
  CHECK(look.parted() == "");
  CHECK(look.holes() == "");
}

TEST_CASE("a job that shares with its user alone takes parts back like whole") {
  auto waiting = job(50, "", 1);
  waiting.nodes = {};
  waiting.state = State::pending;
  waiting.eligible = true;
  waiting.own_user_only = true;
  Look look({node("n1")}, {waiting});
  CHECK(look.snapshot().pending.at(0).whole);
  look.options.parts_per_node_max = 0;
  CHECK_FALSE(look.snapshot().pending.at(0).whole);
}

TEST_CASE("nodes of a partition with ExclusiveUser are lent whole") {
  Look look({node("n1"), node("n2")});
  look.records.partitions[1].one_user_a_node = true;
  CHECK(look.parted() == "n2 8 CPUs, 32000 MB, gpu:a:4");
  CHECK(look.holes() == "n1");
}

TEST_CASE("so are all where leases get whole nodes by their partition") {
  Look look({node("n1")});
  look.records.partitions[2].one_job_a_node = true;
  CHECK(look.parted() == "");
  CHECK(look.holes() == "n1");
}

TEST_CASE("a node that a lease has whole is no parted one") {
  auto whole = lease(30, "n1", 0);
  whole.admin_comment = "gleaner:lease trainer=5 ticket=90ab";
  Look look({used("n1", 4)}, {whole});
  CHECK(look.parted() == "");
  CHECK(look.holes() == "n1*");
}

TEST_CASE("a node that is down, draining or completing has no parts to lend") {
  auto closed = used("n1", 1);
  closed.usable = false;
  CHECK(Look({closed}, {lease(30, "n1", 0)}).parted() == "");
}

TEST_CASE("plans and reservations of a parted node are told") {
  auto planned = job(40, "", 2);
  planned.state = State::pending;
  planned.nodes = {};
  planned.start_s = 1500;
  planned.planned = {"n1"};
  Look look({used("n1", 1)}, {job(20, "n1", 1), planned});
  look.records.reservations = {{"maintenance", 1700, {"n1"}},
                               {"gleaner", 1, {"n1"}},
                               {"later", 1800, {"n1"}}};
  auto const snapshot = look.snapshot();
  REQUIRE(snapshot.shared.size() == 1);
  auto const& node = snapshot.shared[0];
  REQUIRE(node.planned.size() == 1);
  CHECK(node.planned[0].job == 40);
  CHECK(node.planned[0].time_s == 1500);
  CHECK(node.running[0].time_s == 2000);
  CHECK(node.reserved_s == 1700);
}

TEST_CASE("GPUs counted over all nodes of a plan may all be on this one") {
  auto planned = job(40, "", 0);
  planned.state = State::pending;
  planned.gres = {{"gpu", 4}};
  planned.start_s = 1500;
  planned.planned = {"n1"};
  Look look({used("n1", 1)}, {job(20, "n1", 1), planned});
  CHECK(look.snapshot().shared.at(0).planned.at(0).whole);
}

TEST_CASE("of like jobs as many are told of as could start on parted nodes") {
  std::vector<JobRecord> jobs;
  for (JobId id = 50; id < 54; ++id) {
    auto waiting = job(id, "", 1);
    waiting.nodes = {};
    waiting.state = State::pending;
    waiting.eligible = true;
    jobs.push_back(waiting);
  }
  CHECK(Look({node("n1")}, jobs).snapshot().pending.size() == 4);
}

TEST_CASE("gleaner.yaml says which nodes are lent in parts") {
  auto config = default_config();
  CHECK(snapshot_options(config).parts_per_node_max == 0);
  config.lease = Config::Lease::parts;
  config.parts_partitions = "gpu,fat";
  auto const options = snapshot_options(config);
  CHECK(options.parts_per_node_max == 8);
  CHECK(options.parts_partitions == std::vector<std::string>{"gpu", "fat"});
}

}  // namespace gleaner::slurm

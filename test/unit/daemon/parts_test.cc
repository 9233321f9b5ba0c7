// SPDX-License-Identifier: Apache-2.0
/// Parts of nodes: lent beside regular jobs, and given back part by part.
#include <map>
#include <random>

#include "core/place.hh"
#include "daemon/decisions/count_free.hh"
#include "test/unit/daemon/world.hh"

namespace gleaner::daemon {
namespace {

Resources gpus(int count) {
  return {2 * count, 8000 * count, count ? Gres{{"gpu", count}} : Gres{}};
}

/// Nodes of 4 GPUs, 8 CPUs and 32000 MB, lent in parts.
struct Parted : World {
  explicit Parted(std::string_view nodes = "n1") {
    cluster.kinds = {
        {gpus(4), {}, {"lease", "main"}, *NodeSet::parse(nodes), 1, 8}};
    cluster.nodes_total = static_cast<int>(cluster.kinds[0].nodes.size());
  }

  /// What runs on which node, leases apart.
  std::map<std::string, std::vector<NodeUse>> rigid;
  std::string closed;  ///< the node on which a lease completes

  void runs(JobId job, std::string const& node, int count, TimeS end_s = 0) {
    rigid[node].push_back({job, gpus(count), false, end_s});
  }
  void ends(JobId job) {
    for (auto& [node, uses] : rigid)
      std::erase_if(uses, [&](auto& use) { return use.job == job; });
  }
  void waits(JobId job, int count, int nodes = 1) {
    pending(job, nodes);
    cluster.pending.back().each = gpus(count);
  }

  std::string look() {
    cluster.shared.clear();
    for (auto const& name : cluster.kinds[0].nodes) {
      if (name == closed) continue;
      SharedNode node{name, 0, gpus(4), 1, true};
      node.running = rigid[name];
      for (auto const& use : node.running)
        node.free = minus(node.free, use.each);
      for (auto const& lease : cluster.leases)
        if (node_of(lease.node) == name && lease.part)
          node.free = minus(node.free, *lease.part);
      cluster.shared.push_back(node);
    }
    return World::look();
  }
  std::string later(double seconds) {
    now += seconds;
    return look();
  }

  /// All that is offered to the trainer is taken up: leases from `first` on.
  void takes_all(JobId trainer, JobId first) {
    std::vector<Lease> offered;
    for (auto const& [nonce, lease] : brain.leases().all())
      if (lease.state == Lease::State::offered) offered.push_back(lease);
    for (auto const& offer : offered) {
      lease(first, offer.node, trainer, offer.nonce);
      cluster.leases.back().part = offer.part;
      says(trainer, msg::LeaseStarted{offer.node, first++, 0.03});
    }
    look();
  }

  /// A trainer with all the parts it can get.
  void trains(JobId job, int most, char const* ask = "--gres=gpu:1") {
    base_job(job, 1, most, 1000, ask);
    look();
    registers(job);
    look();
    takes_all(job, 101);
  }

  std::string held() const {
    NodeSet places;
    for (auto const& [nonce, lease] : brain.leases().all())
      if (lease.is_used()) places.insert(lease.node);
    return places.to_string();
  }
};

TEST_CASE("the GPUs that a job leaves are lent, each with its share") {
  Parted w;
  w.runs(50, "n1", 1);
  w.base_job(7, 1, 8, 1000, "--gres=gpu:1");
  w.look();
  CHECK(w.registers(7) ==
        "welcome 7; offer n1+0->7; offer n1+1->7; offer n1+2->7");
  for (auto const& [nonce, lease] : w.brain.leases().all()) {
    REQUIRE(lease.part);
    CHECK(*lease.part == gpus(1));
  }
}

TEST_CASE("a part is offered once, also before Slurm shows its lease") {
  Parted w;
  w.runs(50, "n1", 2);
  w.base_job(7, 1, 8, 1000, "--gres=gpu:1");
  w.look();
  CHECK(w.registers(7) == "welcome 7; offer n1+0->7; offer n1+1->7");
  CHECK(w.look() == "");
  w.takes_all(7, 101);
  CHECK(w.look() == "");
  w.ends(50);
  CHECK(w.look() == "offer n1+2->7; offer n1+3->7");
}

TEST_CASE("parts are as large as the training asks") {
  Parted w("n[1-2]");
  w.runs(50, "n1", 1);
  w.trains(7, 8, "--gres=gpu:2");
  CHECK(w.held() == "n1+0,n2+[0-1]");
}

TEST_CASE("a training that no part can serve is refused, and told why") {
  Parted w;
  w.base_job(7, 1, 4, 1000, "--gres=gpu:1,nvme:1");
  w.cluster.kinds[0].total.gres["nvme"] = 1;
  w.look();
  CHECK_THAT(w.registers(7), Catch::Contains("is lent in parts"));
}

TEST_CASE("a job that fits beside the leases takes nothing back") {
  Parted w;
  w.trains(7, 2);
  CHECK(w.held() == "n1+[0-1]");
  w.waits(60, 2);
  CHECK(w.look() == "");
}

TEST_CASE("nor is what it fits on lent while it waits") {
  Parted w;
  w.trains(7, 2);
  w.waits(60, 1);
  w.look();
  w.base_job(8, 1, 4, 1000, "--gres=gpu:1");
  w.look();
  CHECK(w.registers(8) == "welcome 8; offer n1+3->8");
}

TEST_CASE("job_submit is told of the GPUs that are free, and that are lent") {
  Parted w("n[1-3]");
  w.runs(50, "n1", 1);
  w.runs(51, "n2", 3);
  w.trains(7, 4);
  auto const counted = [&] {
    auto const text =
        gleaner::to_text(count_free(w.cluster, w.brain.leases(), "main", 1000));
    return text.substr(text.find("main"));
  };
  // n3 is idle; n1 has three GPUs and n2 one once the leases are back.
  CHECK(counted() ==
        "main* idle 1 partly 0 lent 0 gpus 1,1,1,1 back 3,2,2,1\n");
  w.ends(51);
  w.look();
  CHECK(counted() ==
        "main* idle 1 partly 1 lent 1 gpus 2,2,2,1 back 3,3,3,2\n");
  SECTION("while leases end they are neither") {
    w.waits(60, 3, 3);
    w.look();
    w.vacates(7, {"n1+0", "n1+1", "n1+2"});
    CHECK(counted() ==
          "main* idle 1 partly 1 lent 1 gpus 2,2,2,1 back 2,2,2,2\n");
  }
}

TEST_CASE("a job that needs a part gets exactly that, the oldest") {
  Parted w;
  w.runs(50, "n1", 1);
  w.trains(7, 8);
  CHECK(w.held() == "n1+[0-2]");
  w.waits(60, 1);
  CHECK(w.look() == "back n1+0 of 7 (arrival, 1s)");
  CHECK(w.vacates(7, {"n1+0"}) == "release n1+0 of 7");
  w.end_of_lease(101);
  CHECK(w.look() == "");  // it is kept for the job
  w.cluster.pending.clear();
  w.runs(60, "n1", 1);
  CHECK(w.look() == "");
  CHECK(w.held() == "n1+[1-2]");
  w.ends(60);
  CHECK(w.look() == "offer n1+0->7");
}

TEST_CASE("while the node of that part completes no other one is asked back") {
  Parted w("n[1-2]");
  w.trains(7, 8);
  w.waits(5, 1);
  CHECK(w.look() == "back n1+0 of 7 (arrival, 1s)");
  CHECK(w.vacates(7, {"n1+0"}) == "release n1+0 of 7");
  w.end_of_lease(101);
  w.closed = "n1";
  CHECK(w.look() == "");
  w.closed = "";
  CHECK(w.look() == "");
}

TEST_CASE("a job that needs several gets them together") {
  Parted w;
  w.runs(50, "n1", 1);
  w.trains(7, 8);
  w.waits(60, 2);
  CHECK(w.look() == "back n1+[0-1] of 7 (arrival, 1s)");
  CHECK(w.vacates(7, {"n1+0"}) == "");
  CHECK(w.vacates(7, {"n1+1"}) == "release n1+[0-1] of 7");
}

TEST_CASE("a job that wants the whole node gets all parts of it") {
  Parted w("n[1-2]");
  w.runs(50, "n2", 1);
  w.trains(7, 8);
  w.waits(60, 1);
  w.cluster.pending.back().whole = true;
  CHECK(w.look() == "back n1+[0-3] of 7 (arrival, 1s)");
}

TEST_CASE("a job gets parts where it costs the fewest") {
  Parted w("n[1-2]");
  w.runs(50, "n2", 1);
  w.trains(7, 6);
  CHECK(w.held() == "n1+[0-3],n2+[0-1]");
  w.waits(60, 2);  // one GPU of n2 is free
  CHECK_THAT(w.look(), Catch::Contains("back n2+"));
  CHECK(w.brain.aside().size() == 2);
}

TEST_CASE("a job of two nodes gets parts of both") {
  Parted w("n[1-2]");
  w.trains(7, 8);
  w.waits(60, 3, 2);
  CHECK(w.look() == "back n1+[0-2],n2+[0-2] of 7 (arrival, 1s)");
}

TEST_CASE("a CPU job takes a part back only where no CPU is free") {
  Parted w;
  w.runs(50, "n1", 1);
  w.trains(7, 2);
  w.waits(60, 0);
  w.cluster.pending.back().each = {2, 100, {}};
  CHECK(w.look() == "");
  w.waits(61, 0);
  w.cluster.pending.back().each = {2, 100, {}};
  CHECK(w.look() == "back n1+0 of 7 (arrival, 1s)");
}

TEST_CASE("where Slurm does not allocate memory jobs share it") {
  Parted w;
  w.brain.set_memory(JobMemory::ignored);
  w.trains(7, 3);
  w.waits(60, 1);
  w.cluster.pending.back().whole_memory = true;
  CHECK(w.look() == "");
}

TEST_CASE("parts are back before the end of a job that lets others start") {
  Parted w;
  w.runs(50, "n1", 2, w.now + 100);
  w.trains(7, 8);
  CHECK(w.held() == "n1+[0-1]");
  w.waits(60, 3);
  CHECK(w.look() == "");
  CHECK(w.later(97.9) == "");
  CHECK(w.later(0.2) == "back n1+0 of 7 (planned_start, 1s)");
}

TEST_CASE("while a lease ends its node is closed: no part of it is offered") {
  Parted w;
  w.runs(50, "n1", 1);
  w.trains(7, 1);
  CHECK(w.held() == "n1+0");
  w.base_job(8, 1, 4, 1000, "--gres=gpu:1");
  w.says(7, msg::LeaseEnded{"n1+0", 101, "lost"});
  w.look();
  CHECK(w.registers(8) == "welcome 8");
  w.end_of_lease(101);
  CHECK_THAT(w.look(), Catch::Contains("offer n1+0->"));
}

TEST_CASE("a restarted gleanerd adopts parts by their names") {
  Parted w;
  w.base_job(7, 1, 8, 1000, "--gres=gpu:1");
  w.lease(101, "n1+2", 7, "90ab");
  w.cluster.leases.back().part = gpus(1);
  w.look();
  CHECK(w.registers(7, {{"n1+2", 101}}) ==
        "welcome 7; offer n1+0->7; offer n1+1->7; offer n1+3->7");
  CHECK(w.held() == "n1+[0-3]");
}

TEST_CASE("a drained node gives back all its parts") {
  Parted w("n[1-2]");
  w.trains(7, 8);
  CHECK(w.order("drain", "n1") == "back n1+[0-3] of 7 (drain, 1s)");
}

TEST_CASE("a part that Slurm took is not lent until the job has it") {
  Parted w;
  w.runs(50, "n1", 1);
  w.trains(7, 8);
  w.waits(60, 1);
  w.look();
  w.cluster.preempted.push_back({101, "n1+0", w.now, gpus(1)});
  w.end_of_lease(101);
  CHECK(w.look() == "");
  CHECK(w.brain.holds().contains("n1+3"));
  w.cluster.pending.clear();
  w.runs(60, "n1", 1);
  w.look();
  CHECK_FALSE(w.brain.holds().contains("n1+3"));
}

TEST_CASE("a node that a lease has whole is not cut") {
  Parted w;
  w.base_job(7, 1, 8, 1000, "--gres=gpu:1");
  w.lease(101, "n1", 7, "90ab");
  w.look();
  CHECK(w.registers(7, {{"n1", 101}}) == "welcome 7");
}

/// Places as text: "n1+0 gpu:1 lent until 1100 of 7".
std::string to_text(Places const& places) {
  std::string text;
  for (auto const& [name, place] : places)
    text += name + " " + to_string(*place.part) +
            (place.hole.leased ? " lent" : "") + " until " +
            std::to_string(place.hole.end_s.value_or(0)) + " of " +
            std::to_string(place.hole.planned_job) + "\n";
  return text;
}

TEST_CASE("places that are kept from look to look are as if made again") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 engine(seed);
  auto const up_to = [&](int most) {
    return std::uniform_int_distribution(0, most)(engine);
  };
  Parted w("n[1-4]");
  PartPlaces kept;
  w.base_job(7, 1, 9);
  w.look();
  w.registers(7);
  JobId next = 1000;
  for (int look = 0; look < 300; ++look) {
    auto const node = "n" + std::to_string(1 + up_to(3));
    switch (up_to(5)) {
      case 0:
        w.rigid[node].clear();
        break;
      case 1:
        if (w.rigid[node].empty())
          w.runs(next++, node, 1 + up_to(3), w.now + 100 * up_to(3));
        break;
      case 2:
        w.waits(next++, 1 + up_to(3));
        break;
      case 3:
        w.cluster.pending.clear();
        break;
      case 4:
        w.takes_all(7, next);
        next += 20;
        break;
      default:
        w.cluster.leases.clear();
    }
    w.later(1);
    auto const& brain = w.brain;
    auto const now =
        kept.make(brain.snapshot(), brain.leases(), brain.roster());
    auto const again =
        PartPlaces().make(brain.snapshot(), brain.leases(), brain.roster());
    CAPTURE(look);
    REQUIRE(to_text(now) == to_text(again));
  }
}

}  // namespace
}  // namespace gleaner::daemon

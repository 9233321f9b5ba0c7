// SPDX-License-Identifier: Apache-2.0
/// What waiting jobs take back, against a model of what Slurm could start.
///
/// Random clusters with whole and with parted nodes, random queues.  The model
/// knows jobs of one node only, and tries every node and every set of parts.
#include "daemon/decisions/supply.hh"

#include <algorithm>
#include <random>

#include "core/place.hh"
#include "test/unit/catch.hh"

namespace gleaner::daemon {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int up_to(int most) {
    return std::uniform_int_distribution(0, most)(engine_);
  }
  bool chance(int percent) { return up_to(99) < percent; }

 private:
  std::mt19937 engine_;
};

/// GPUs of one type with two CPUs and 1000 MB each.
Resources share(std::string const& type, int count) {
  return {2 * count, 1000 * count, count ? Gres{{type, count}} : Gres{}};
}

struct Cluster {
  Snapshot snapshot;
  Places places;
};

/// Up to four nodes of 2 gpu:a and 2 gpu:b.
Cluster random_cluster(Random& random) {
  Cluster cluster;
  NodeKind kind;
  kind.total = {8, 4000, {{"gpu:a", 2}, {"gpu:b", 2}}};
  kind.partitions = {"lease", "main"};
  kind.parts_max = 8;
  cluster.snapshot.kinds = {kind};
  JobId next = 100;
  for (int n = random.up_to(3); n >= 0; --n) {
    SharedNode node{"n" + std::to_string(n), 0, kind.total, 1, true};
    cluster.snapshot.kinds[0].nodes.insert(node.node);
    int index = 0;
    for (auto const* type : {"gpu:a", "gpu:b"})
      for (int g = 0; g < 2; ++g) {
        auto const has = share(type, 1);
        int const what = random.up_to(3);  // nothing, a job, a lease, a part
        if (what == 0) continue;
        if (what == 1) node.running.push_back({next++, has, false, 0});
        if (what == 1 || what == 2) node.free = minus(node.free, has);
        if (what == 1) continue;
        Place place;
        place.hole.node = to_string(PlaceName{node.node, index++});
        place.part = has;
        place.lent = what == 2;
        place.lease = what == 2 ? next++ : 0;
        cluster.places[place.hole.node] = place;
      }
    cluster.snapshot.shared.push_back(std::move(node));
  }
  return cluster;
}

SupplyNodes supply_nodes(Cluster const& cluster) {
  SupplyNodes nodes;
  nodes.update(cluster.snapshot, cluster.places);
  return nodes;
}

PendingJob random_job(Random& random, JobId id) {
  PendingJob job;
  job.job = id;
  job.partition = "main";
  job.each = {1 + random.up_to(8), 500 * random.up_to(8), {}};
  char const* const names[] = {"gpu:a", "gpu:b", "gpu"};
  if (int const count = random.up_to(4))
    job.each.gres[names[random.up_to(2)]] = count;
  job.whole = random.chance(10);
  return job;
}

/// The least number of leases that must end for the job to start on some node;
/// none: it cannot.
std::optional<int> fewest_leases(Cluster const& cluster,
                                 PendingJob const& job) {
  std::optional<int> fewest;
  for (auto const& node : cluster.snapshot.shared) {
    std::vector<Place const*> leases;
    for (auto const& [name, place] : cluster.places)
      if (node_of(name) == node.node && place.lent) leases.push_back(&place);
    for (unsigned set = 0; set < 1u << leases.size(); ++set) {
      auto free = node.free;
      int ended = 0;
      for (std::size_t i = 0; i < leases.size(); ++i)
        if (set >> i & 1) free = plus(free, *leases[i]->part), ++ended;
      bool const alone =
          node.running.empty() && ended == static_cast<int>(leases.size());
      if ((job.whole && !alone) || !covers(free, job.each)) continue;
      fewest = std::min(fewest.value_or(ended), ended);
    }
  }
  return fewest;
}

std::vector<std::string> leases_among(Cluster const& cluster,
                                      std::vector<std::string> const& places) {
  std::vector<std::string> leases;
  for (auto const& name : places)
    if (cluster.places.at(name).lent) leases.push_back(name);
  return leases;
}

/// Let the leases end and the job start; false when it could not.
bool start(Cluster* cluster, PendingJob const& job,
           std::vector<std::string> const& taken) {
  auto const leases = leases_among(*cluster, taken);
  for (auto& node : cluster->snapshot.shared) {
    auto free = node.free;
    bool ours = leases.empty();
    for (auto const& name : leases)
      if (node_of(name) == node.node) {
        free = plus(free, *cluster->places.at(name).part);
        ours = true;
      }
    if (!ours || !covers(free, job.each)) continue;
    auto const is_lent_still = [&](auto const& entry) {
      auto const& [name, place] = entry;
      return node_of(name) == node.node && place.lent &&
             std::find(leases.begin(), leases.end(), name) == leases.end();
    };
    if (job.whole && (!node.running.empty() ||
                      std::any_of(cluster->places.begin(),
                                  cluster->places.end(), is_lent_still)))
      continue;
    // What leases had of the node is no place any more.
    for (auto const& name : taken) cluster->places.erase(name);
    node.free = job.whole ? Resources{} : minus(free, job.each);
    node.running.push_back({job.job, job.each, job.whole, 0});
    return true;
  }
  return false;
}

TEST_CASE("a job takes back as few leases as would let Slurm start it") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int trial = 0; trial < 2000; ++trial) {
    auto const cluster = random_cluster(random);
    auto const job = random_job(random, 7);
    auto const nodes = supply_nodes(cluster);
    Supply supply(cluster.snapshot, nodes);
    auto const taken = supply.take(job);
    auto const fewest = fewest_leases(cluster, job);
    CAPTURE(trial, to_string(job.each), job.whole);
    REQUIRE(taken.empty() == !fewest.has_value());
    if (!fewest) continue;
    auto const leases = leases_among(cluster, taken.places());
    REQUIRE(static_cast<int>(leases.size()) == *fewest);
    auto after = cluster;
    REQUIRE(start(&after, job, taken.places()));
  }
}

TEST_CASE("what one job took back or put aside is not there for the next") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    auto const cluster = random_cluster(random);
    auto const nodes = supply_nodes(cluster);
    Supply supply(cluster.snapshot, nodes);
    std::map<std::string, int> times_taken;
    Resources asked, had;
    for (auto const& node : cluster.snapshot.shared) had = plus(had, node.free);
    for (auto const& [name, place] : cluster.places)
      if (place.lent) had = plus(had, *place.part);
    for (JobId id = 1; id < 12; ++id) {
      auto const job = random_job(random, id);
      auto const taken = supply.take(job);
      if (taken.empty()) continue;
      asked = plus(asked, job.each);
      for (auto const& name : taken.places()) ++times_taken[name];
    }
    for (auto const& [name, times] : times_taken) REQUIRE(times == 1);
    REQUIRE(asked.cpus <= had.cpus);
    REQUIRE(asked.memory_mb <= had.memory_mb);
    REQUIRE(count_of(asked.gres, "gpu") <= count_of(had.gres, "gpu"));
  }
}

TEST_CASE("what is put back can be taken again") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    auto const cluster = random_cluster(random);
    auto const job = random_job(random, 7);
    auto const nodes = supply_nodes(cluster);
    Supply supply(cluster.snapshot, nodes);
    auto const taken = supply.take(job);
    supply.put_back(taken);
    auto const again = supply.take(job);
    REQUIRE(taken.empty() == again.empty());
    REQUIRE(taken.places() == again.places());
  }
}

/// Nodes come and go, also whole ones; leases begin, end and become others.
void change(Cluster* cluster, Random& random) {
  auto const other = random_cluster(random);
  auto const name = "n" + std::to_string(random.up_to(3));
  auto const is_of = [&](auto const& node) { return node.node == name; };
  std::erase_if(cluster->snapshot.shared, is_of);
  std::erase_if(cluster->places,
                [&](auto& entry) { return node_of(entry.first) == name; });
  for (auto const& node : other.snapshot.shared)
    if (is_of(node)) cluster->snapshot.shared.push_back(node);
  for (auto const& entry : other.places)
    if (node_of(entry.first) == name) cluster->places.insert(entry);
  if (random.chance(20)) {
    auto& place = cluster->places[name];
    place.hole = {name, 0, false, {}, 0, random.chance(50) ? 1u : 2u};
    place.lent = random.chance(50);
    place.lease = place.lent ? 7 : 0;
  }
  if (random.chance(5)) cluster->snapshot.kinds[0].total.cpus += 1;
}

TEST_CASE("nodes that are kept from look to look are as if made again") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  auto cluster = random_cluster(random);
  SupplyNodes kept;
  for (int look = 0; look < 3000; ++look) {
    change(&cluster, random);
    std::set<std::string> withheld;
    if (random.chance(10) && !cluster.places.empty())
      withheld.insert(cluster.places.begin()->first);
    kept.update(cluster.snapshot, cluster.places, withheld);
    SupplyNodes made;
    made.update(cluster.snapshot, cluster.places, withheld);
    CAPTURE(look);
    REQUIRE(kept == made);
  }
}

TEST_CASE("a queue of jobs of unlike sizes starts what each could alone") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    auto const cluster = random_cluster(random);
    auto const nodes = supply_nodes(cluster);
    Supply one_by_one(cluster.snapshot, nodes);
    auto job = random_job(random, 7);
    for (int i = 0; i < 12; ++i) {
      job.nodes = 1 + random.up_to(4);
      Supply alone(cluster.snapshot, nodes);
      auto const taken = one_by_one.take(job);
      CAPTURE(trial, i, job.nodes);
      REQUIRE(taken.empty() == alone.take(job).empty());
      one_by_one.put_back(taken);
    }
  }
}

}  // namespace
}  // namespace gleaner::daemon

// SPDX-License-Identifier: Apache-2.0
/// What is remembered from look to look changes no snapshot.
#include "slurm/snapshot_memory.hh"

#include <random>
#include <string>

#include "slurm/snapshot.hh"
#include "test/unit/catch.hh"

namespace gleaner::slurm {
namespace {

/// A cluster of up to six nodes that changes a little at a time.
class ChangingCluster {
 public:
  explicit ChangingCluster(unsigned seed) : engine_(seed) {
    for (char const* name : {"lease", "main"}) {
      records_.partitions.emplace_back();
      records_.partitions.back().name = name;
      records_.partitions.back().nodes = some_nodes();
    }
    for (int i = 0; i < 6; ++i) {
      records_.nodes.emplace_back();
      change_node(&records_.nodes.back(), "n" + std::to_string(i));
    }
  }
  ClusterRecords const& records() const { return records_; }

  void change() {
    switch (up_to(5)) {
      case 0:
        records_.jobs.clear();
        break;
      case 1:
        add_job(JobRecord::State::running).nodes = some_nodes();
        break;
      case 2:
        add_job(JobRecord::State::pending).planned = some_nodes();
        break;
      case 3:
        records_.partitions[up_to(1)].nodes = some_nodes();
        break;
      case 4:
        records_.nodes.pop_back();
        if (up_to(1)) records_.nodes.pop_back();
        while (records_.nodes.size() < 5 + up_to(1)) {
          records_.nodes.emplace_back();
          change_node(&records_.nodes.back(),
                      "n" + std::to_string(records_.nodes.size() - up_to(1)));
        }
        break;
      default: {
        auto& node = records_.nodes[up_to(4)];
        change_node(&node, node.name);
      }
    }
  }

 private:
  std::size_t up_to(int most) {
    return static_cast<std::size_t>(
        std::uniform_int_distribution(0, most)(engine_));
  }

  NodeSet some_nodes() {
    NodeSet nodes;
    for (int i = 0; i < 6; ++i)
      if (up_to(1)) nodes.insert("n" + std::to_string(i));
    return nodes;
  }

  JobRecord& add_job(JobRecord::State state) {
    auto& job = records_.jobs.emplace_back();
    job.job = next_++;
    job.partition = up_to(3) ? "main" : "lease";
    job.state = state;
    job.eligible = state == JobRecord::State::pending;
    job.start_s = 100 + static_cast<double>(up_to(9));
    job.each.cpus = 1;
    if (up_to(3) == 0)
      job.admin_comment = "gleaner:lease trainer=5 ticket=90ab part=1";
    return job;
  }

  void change_node(NodeRecord* node, std::string const& name) {
    char const* const gres[] = {"", "gpu:a:4", "gpu:b:2", "what is this"};
    char const* const used[] = {"gpu:a:1(IDX:0)", "gpu:b:2", "", "(("};
    char const* const features[] = {"", "fast", "fast,a100"};
    *node = {};
    node->name = name;
    node->usable = true;
    node->idle = up_to(1);
    node->gres = gres[up_to(3)];
    if (up_to(3)) node->gres_used = used[up_to(3)];
    node->features = features[up_to(2)];
    node->cpus = 4 + static_cast<int>(up_to(1));
    node->memory_mb = 1000 * static_cast<int>(up_to(1));
    node->threads_per_core = 1 + static_cast<int>(up_to(1));
  }

  std::mt19937 engine_;
  ClusterRecords records_;
  JobId next_ = 1;
};

TEST_CASE("a snapshot made with a memory is as if made without") {
  auto const seed = std::random_device{}();
  CAPTURE(seed);
  ChangingCluster cluster(seed);
  SnapshotOptions const whole{"lease", "head", "gleaner"};
  auto parts = whole;
  parts.parts_per_node_max = 4;
  SnapshotMemory memory;
  for (int look = 0; look < 3000; ++look) {
    cluster.change();
    CAPTURE(look);
    auto const& options = look % 7 ? whole : parts;
    REQUIRE(make_snapshot(cluster.records(), options, 50, &memory) ==
            make_snapshot(cluster.records(), options, 50));
  }
}

TEST_CASE("what texts of jobs mean is remembered as long as jobs say it") {
  TextMemory texts;
  int reads = 0;
  auto const read = [&](std::string_view text) {
    ++reads;
    return *parse_gres(text);
  };
  CHECK(to_string(texts.gres.of("gpu:a:1", read)) == "gpu:a:1");
  CHECK(to_string(texts.gres.of("gpu:b", read)) == "gpu:b:1");
  CHECK(to_string(texts.gres.of("gpu:a:1", read)) == "gpu:a:1");
  CHECK(reads == 2);
  texts.forget_unused();
  (void)texts.gres.of("gpu:b", read);
  CHECK(reads == 2);
  texts.forget_unused();
  CHECK(texts.gres.size() == 1);
  (void)texts.gres.of("gpu:a:1", read);
  CHECK(reads == 3);
}

}  // namespace
}  // namespace gleaner::slurm

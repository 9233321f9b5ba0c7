// SPDX-License-Identifier: Apache-2.0
#include "sim/training_set.hh"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/contract.hh"
#include "sim/input_file.hh"

namespace gleaner::sim {
namespace {

/// A curve is kept as one value per number of nodes.
constexpr int nodes_max_most = 65536;

}  // namespace

std::vector<double> ThroughputCurve::up_to(int nodes_max) const {
  std::vector<double> speed{0};
  EXPECT(nodes_max >= 0, nodes_max);
  for (int k = 1; k <= nodes_max; ++k) {
    auto const above = samples_per_s.lower_bound(k);
    if (above == samples_per_s.end()) {
      speed.push_back(samples_per_s.empty() ? 0
                                            : samples_per_s.rbegin()->second);
      continue;
    }
    int const low =
        above == samples_per_s.begin() ? 0 : std::prev(above)->first;
    double const low_speed =
        above == samples_per_s.begin() ? 0 : std::prev(above)->second;
    double const part = above->first == low ? 1
                                            : static_cast<double>(k - low) /
                                                  (above->first - low);
    speed.push_back(low_speed + part * (above->second - low_speed));
  }
  return speed;
}

Result<std::map<std::string, ThroughputCurve>> read_curves(
    std::string const& file) {
  std::map<std::string, ThroughputCurve> curves;
  auto const read =
      read_csv(file, "model,nodes,samples_per_s", [&](Line& line) {
        auto const model = line.text(0, "model");
        int const nodes = line.whole(1, "nodes", 0);
        double const rate = line.number(2, "samples_per_s", 0);
        if (nodes == 0 && rate > 0)
          line.refuse("a speed without nodes (expected 0 samples_per_s)");
        if (!curves[model].samples_per_s.emplace(nodes, rate).second)
          line.refuse("model '" + model + "' has two speeds at " +
                      std::to_string(nodes) + " nodes (expected one)");
        return line.result();
      });
  if (!read) return read.error();
  return curves;
}

Result<std::vector<Training>> read_trainings(
    std::string const& file,
    std::map<std::string, ThroughputCurve> const& curves) {
  std::vector<Training> all;
  std::set<std::string> ids;
  auto const read = read_csv(
      file,
      "trainer,model,submit_s,nodes_min,nodes_max,expand_s,shrink_s,"
      "work_samples",
      "batch", [&](Line& line) {
        Training training;
        training.id = line.text(0, "trainer");
        training.model = line.text(1, "model");
        training.submit_s = line.number(2, "submit_s", 0);
        training.nodes_min = line.whole(3, "nodes_min", 1);
        training.nodes_max = line.whole(4, "nodes_max", training.nodes_min);
        if (training.nodes_max > nodes_max_most)
          line.refuse("nodes_max is beyond " + std::to_string(nodes_max_most) +
                      " (expected what a training can use)");
        training.expand_s = line.number(5, "expand_s", 0);
        training.shrink_s = line.number(6, "shrink_s", 0);
        training.work_samples = line.number(7, "work_samples", 0);
        if (line.size() > 8)
          training.batch =
              static_cast<std::uint64_t>(line.whole(8, "batch", 1));
        if (!ids.insert(training.id).second)
          line.refuse("there are two trainers '" + training.id +
                      "' (expected a name each)");
        auto const curve = curves.find(training.model);
        if (curve == curves.end())
          line.refuse(
              "model '" + training.model +
              "' has no curve (expected one of the models of --curves)");
        if (auto read = line.result(); !read) return read;
        training.speed = curve->second.up_to(training.nodes_max);
        training.one_node_rate = training.speed[1];
        std::fill_n(training.speed.begin(), training.nodes_min, 0.0);
        all.push_back(std::move(training));
        return Result<void>{};
      });
  if (!read) return read.error();
  std::stable_sort(all.begin(), all.end(),
                   [](Training const& a, Training const& b) {
                     return a.submit_s < b.submit_s;
                   });
  return all;
}

}  // namespace gleaner::sim

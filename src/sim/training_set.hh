// SPDX-License-Identifier: Apache-2.0
/// The trainings that want idle nodes, and how fast each is on k nodes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner::sim {

/// Throughput at measured numbers of nodes.
struct ThroughputCurve {
  std::map<int, double> samples_per_s;

  /// Samples/s on 0, 1, … nodes_max nodes: linear between the measured
  /// numbers, constant beyond the largest.  On 0 nodes it is 0.
  std::vector<double> up_to(int nodes_max) const;
};

/// A training as it is submitted.
struct Training {
  std::string id;
  std::string model;
  double submit_s = 0;
  int nodes_min = 1;
  int nodes_max = 1;
  double expand_s = 0;
  double shrink_s = 0;
  double work_samples = 0;  ///< it is finished when it has seen these
  /// Samples/s on 0 … nodes_max nodes; 0 below nodes_min.
  std::vector<double> speed;
  double one_node_rate = 0;  ///< samples/s on one node, nodes_min or not
  std::uint64_t batch = 0;   ///< samples in a step; 0: not known
};

/// Read `model,nodes,samples_per_s`.
Result<std::map<std::string, ThroughputCurve>> read_curves(
    std::string const& file);

/// Read `trainer,model,submit_s,nodes_min,nodes_max,expand_s,shrink_s,
/// work_samples` (one line), or the same with `,batch`.  The result is in order
/// of submission.  Fails, naming the line, for a model that has no curve.
Result<std::vector<Training>> read_trainings(
    std::string const& file,
    std::map<std::string, ThroughputCurve> const& curves);

}  // namespace gleaner::sim

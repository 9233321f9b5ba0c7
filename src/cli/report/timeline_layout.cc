// SPDX-License-Identifier: Apache-2.0
#include "cli/report/timeline_layout.hh"

#include <algorithm>
#include <map>

namespace gleaner::cli {

std::vector<Block> blocks(std::vector<RigidJob> const& jobs,
                          std::vector<std::string> const& nodes, Span window) {
  std::vector<Block> result;
  for (auto const& job : jobs) {
    if (!job.start_s) continue;
    Span const span = {std::max(*job.start_s, window.from_s),
                       std::min(job.end_s.value_or(window.to_s), window.to_s)};
    if (!(span.from_s < span.to_s)) continue;
    bool open = false;
    for (std::size_t row = 0; row < nodes.size(); ++row) {
      bool const here = job.nodes.contains(nodes[row]);
      if (here && open) ++result.back().rows;
      if (here && !open) result.push_back({row, 1, span, &job});
      open = here;
    }
  }
  return result;
}

std::vector<Change> count_over_time(std::vector<Spans> const& spans) {
  std::map<double, int> steps;
  for (auto const& of_node : spans)
    for (Span const& span : of_node) {
      ++steps[span.from_s];
      --steps[span.to_s];
    }
  std::vector<Change> result;
  int value = 0;
  for (auto const& [t, step] : steps)
    if (step != 0) result.push_back({t, value += step});
  return result;
}

std::vector<LossPoint> smoothed(std::vector<LossPoint> const& points,
                                std::size_t reach) {
  std::vector<LossPoint> result = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto const first = i - std::min(i, reach);
    auto const last = std::min(points.size(), i + reach + 1);
    double sum = 0;
    for (auto k = first; k < last; ++k) sum += points[k].loss;
    result[i].loss = sum / static_cast<double>(last - first);
  }
  return result;
}

}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
/// The tables of `gleaner profile`.
#include "cli/profile/profile_view.hh"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "cli/text_table.hh"

namespace gleaner::cli {
namespace {

std::string nodes(int count) {
  return std::to_string(count) + (count == 1 ? " node" : " nodes");
}

/// "3.2 s", "41 ms", "820 us".
std::string duration(double s) {
  if (s >= 1) return fixed(s, s < 10 ? 2 : 1) + " s";
  if (s >= 1e-3) return fixed(s * 1e3, s < 0.1 ? 1 : 0) + " ms";
  return fixed(s * 1e6, 0) + " us";
}

std::string bytes(std::uint64_t count) {
  auto const mb = static_cast<double>(count) / 1e6;
  return mb >= 1 ? fixed(mb, mb < 10 ? 1 : 0) + " MB"
                 : fixed(mb * 1e3, 1) + " kB";
}

/// Three digits that count.
std::string rate(double samples_per_s) {
  return fixed(samples_per_s, samples_per_s < 10    ? 2
                              : samples_per_s < 100 ? 1
                                                    : 0);
}

std::string head(msg::ProfileReply const& p) {
  auto text = "job " + std::to_string(p.job) + " (" + p.name + "): ";
  if (p.measured.empty())
    text += "nothing is measured yet; some steps in one size are needed\n";
  else
    text += p.family + "\n" + bytes(p.gradient_bytes) +
            " of gradients a step, " + std::to_string(p.members_per_node) +
            (p.members_per_node == 1 ? " member" : " members") + " a node\n";
  text += "trains on " + nodes(p.nodes_now) + ", may have " +
          std::to_string(p.nodes_min) + " to " + std::to_string(p.nodes_max);
  if (p.trainings_before > 0)
    text += "; known from " + std::to_string(p.trainings_before) +
            (p.trainings_before == 1 ? " training" : " trainings") + " like it";
  text += "\n";
  if (p.scaling == "assumed")
    text +=
        "plans take all trainings to scale alike ('scaling: assumed' in "
        "gleaner.yaml): what is measured is only shown\n";
  return text;
}

std::string measured(msg::ProfileReply const& p) {
  std::vector<Row> rows{{"NODES", "STEPS", "STEP", "SPREAD", "COMPUTE",
                         "SLOWEST", "WAITING", "SAMPLES/S"}};
  for (auto const& size : p.measured)
    rows.push_back({std::to_string(size.nodes), std::to_string(size.steps),
                    duration(size.step_s), duration(size.step_spread_s),
                    duration(size.compute_s), duration(size.compute_max_s),
                    duration(size.exposed_s),
                    rate(static_cast<double>(p.global_batch) / size.step_s)});
  return "\nmeasured\n" + text_table(rows);
}

/// Sizes that a person looks for: those measured, powers of two, the last.
std::set<int> shown_sizes(msg::ProfileReply const& p) {
  std::set<int> sizes{p.nodes_max, std::max(1, p.nodes_min)};
  for (int k = 1; k <= p.nodes_max; k *= 2) sizes.insert(k);
  for (auto const& size : p.measured) sizes.insert(size.nodes);
  return sizes;
}

std::string expected(msg::ProfileReply const& p) {
  auto const sizes = shown_sizes(p);
  double const one = p.curve.front().expected;
  std::vector<Row> rows{
      {"NODES", "SAMPLES/S", "AT LEAST", "AT MOST", "TIMES ONE NODE", ""}};
  for (auto const& point : p.curve) {
    if (!sizes.count(point.nodes)) continue;
    bool const seen = std::any_of(
        p.measured.begin(), p.measured.end(),
        [&](auto const& size) { return size.nodes == point.nodes; });
    rows.push_back({std::to_string(point.nodes), rate(point.expected),
                    rate(point.low), rate(point.high),
                    fixed(point.expected / one, 2), seen ? "measured" : ""});
  }
  return "\nexpected, and between what it is nine times in ten\n" +
         text_table(rows);
}

}  // namespace

std::string profile_text(msg::ProfileReply const& p) {
  auto text = head(p);
  if (!p.measured.empty()) text += measured(p);
  if (!p.curve.empty()) text += expected(p);
  return text + "\nplans count " + duration(p.expand_s) + " for growing, " +
         duration(p.shrink_s) + " for shrinking, " + duration(p.start_s) +
         " for a start\nmeasured on purpose: " + p.deliberate + "\n";
}

}  // namespace gleaner::cli

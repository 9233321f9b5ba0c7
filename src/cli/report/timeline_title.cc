// SPDX-License-Identifier: Apache-2.0
#include "cli/report/timeline_title.hh"

#include <cmath>
#include <iterator>

#include "cli/text_table.hh"

namespace gleaner::cli {
namespace {

constexpr char between[] = "  ·  ";

std::string counted(std::size_t n, std::string const& what) {
  static constexpr char const* words[] = {"No", "One", "Two", "Three", "Four"};
  return (n < std::size(words) ? words[n] : std::to_string(n)) + (" " + what) +
         (n == 1 ? "" : "s");
}

std::string harvest(Summary const& s) {
  if (s.harvest_ratio)
    return fixed(100 * *s.harvest_ratio, 0) + " % of " +
           fixed(*s.idle_node_s, 0) + " idle node-seconds trained";
  auto text = fixed(s.trained_node_s, 0) + " node-seconds trained";
  if (s.leased_node_s) text += " of " + fixed(*s.leased_node_s, 0) + " lent";
  if (s.in_parts) return text + ", a part counted like a node";
  return text + (s.idle_node_s ? "" : ", idle time unknown");
}

std::string samples(Summary const& s) {
  std::uint64_t twice = 0, left_out = 0, undone = 0;
  int rollbacks = 0;
  for (auto const& t : s.trainers) {
    twice += t.duplicate_samples, left_out += t.missing_samples;
    undone += t.undone_steps, rollbacks += t.rollbacks;
  }
  std::string text = twice + left_out == 0
                         ? "every sample counted once"
                         : "samples counted twice: " + std::to_string(twice) +
                               ", left out: " + std::to_string(left_out);
  if (rollbacks > 0)
    text += ", " + std::to_string(undone) + " steps undone by " +
            std::to_string(rollbacks) +
            (rollbacks == 1 ? " rollback" : " rollbacks");
  return text;
}

std::string trained(Summary const& s) {
  if (s.trainers.empty())
    return s.leased_node_s
               ? fixed(*s.leased_node_s, 0) + " node-seconds lent" + between +
                     "what they trained is unknown (no event log was read)"
               : "nothing is known: neither journal nor event log was read";
  auto text = harvest(s) + between + std::to_string(s.expands) + " expands, " +
              std::to_string(s.shrinks) + " shrinks";
  if (s.stall_ms.n > 0)
    text += between + ("training stalls " + fixed(s.stall_ms.p50, 0)) +
            " ms (p50), " + fixed(s.stall_ms.p99, 0) + " ms (p99)";
  return text + between + samples(s);
}

std::string others(Summary const& s) {
  if (s.rigid_delay_with_s.n == 0)
    return s.idle_node_s || s.in_parts ? "" : "other jobs: unknown";
  if (s.rigid_delay_added_s.n > 0)
    return "other jobs start " + fixed(std::abs(s.rigid_delay_added_s.p50), 2) +
           (s.rigid_delay_added_s.p50 < 0 ? " s earlier" : " s later") +
           " than without Gleaner (median), " +
           fixed(s.rigid_delay_added_worst_s, 2) + " s later at worst, of " +
           std::to_string(s.rigid_delay_added_s.n);
  return "other jobs start after " + fixed(s.rigid_delay_with_s.p50, 2) +
         " s (p50), " + fixed(s.rigid_delay_with_s.p99, 1) + " s (p99)";
}

}  // namespace

TimelineTitle timeline_title(Summary const& summary) {
  auto const nodes = std::to_string(summary.nodes) + " Slurm nodes";
  return {summary.trainers.empty()
              ? "Leases of the idle time of " + nodes
              : counted(summary.trainers.size(), "training") +
                    " on the idle time of " + nodes,
          trained(summary), others(summary)};
}

}  // namespace gleaner::cli

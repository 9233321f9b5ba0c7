// SPDX-License-Identifier: Apache-2.0
/// Holding nodes against what is asked of them.
#include "core/fits.hh"

#include <algorithm>
#include <utility>

#include "core/part_size.hh"

namespace gleaner {
namespace {

std::string joined(std::vector<std::string> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

bool in_any(NodeKind const& kind, std::vector<std::string> const& partitions) {
  return partitions.empty() ||
         std::any_of(partitions.begin(), partitions.end(),
                     [&](auto const& name) { return kind.is_in(name); });
}

/// What the tests of a kind say.  The nearest kind is the one that got
/// furthest, and of those the one with most of the GRES.
struct Verdict {
  int passed = 0;
  std::string why;  ///< "" when all tests were
  std::int64_t units = 0;
};

/// Units of what is asked for, those of the right type before all others.
std::int64_t units_towards(Gres const& have, Gres const& asked) {
  std::int64_t units = 0;
  for (auto const& [key, wanted] : asked) {
    auto const typed = have.find(key);
    auto const name = key.substr(0, key.find(':'));
    units += std::min(wanted, count_of(have, name));
    if (typed != have.end()) units += 1000 * std::min(wanted, typed->second);
  }
  return units;
}

Verdict judge(NodeKind const& kind, Resources const& available,
              LeaseTemplate const& ask) {
  if (!in_any(kind, ask.partitions))
    return {0, "is not in partition " + joined(ask.partitions), 0};
  if (!ask.constraint.is_met_by(kind.features))
    return {1,
            "lacks feature " + ask.constraint.text() + " (has " +
                (kind.features.empty() ? "none" : joined(kind.features)) + ")",
            0};
  if (auto const lacking = lacks(available, ask.each); !lacking.empty())
    return {covers(available.gres, ask.each.gres) ? 3 : 2, "lacks " + lacking,
            units_towards(available.gres, ask.each.gres)};
  return {4, "", 0};
}

/// What was asked, for the beginning of a refusal.
std::string wanted(LeaseTemplate const& ask) {
  std::vector<std::string> parts;
  if (ask.each != Resources{}) parts.push_back("has " + to_string(ask.each));
  if (!ask.constraint.empty())
    parts.push_back("has feature " + ask.constraint.text());
  if (!ask.partitions.empty())
    parts.push_back("is in partition " + joined(ask.partitions));
  if (!ask.required.empty())
    parts.push_back("is one of " + ask.required.to_string());
  std::string text;
  for (auto const& part : parts) text += (text.empty() ? "" : " and ") + part;
  return text.empty() ? "is left" : text;
}

}  // namespace

std::string misfit(NodeKind const& kind, LeaseTemplate const& ask) {
  return judge(kind, kind.total, ask).why;
}

std::string misfit(NodeKind const& kind, Resources const& part,
                   LeaseTemplate const& ask) {
  return judge(kind, part, ask).why;
}

std::string misfit_by_name(std::string const& node, LeaseTemplate const& ask) {
  if (ask.excluded.contains(node)) return "is excluded by --exclude";
  if (!ask.required.empty() && !ask.required.contains(node))
    return "is not one of --nodelist";
  return "";
}

std::string misfit(std::string const& node, NodeKind const& kind,
                   Resources const& available, LeaseTemplate const& ask) {
  auto const by_name = misfit_by_name(node, ask);
  return by_name.empty() ? judge(kind, available, ask).why : by_name;
}

namespace {

int allowed_by_name(NodeSet const& nodes, LeaseTemplate const& ask) {
  if (ask.required.empty() && ask.excluded.empty())
    return static_cast<int>(nodes.size());
  return static_cast<int>(std::count_if(
      nodes.begin(), nodes.end(),
      [&](auto const& node) { return misfit_by_name(node, ask).empty(); }));
}

}  // namespace

Servers servers_of(Snapshot const& snapshot, std::string const& lease_partition,
                   LeaseTemplate const& ask) {
  Servers servers;
  Verdict nearest{-1, "", 0};
  std::string nearest_node;
  for (auto const& kind : snapshot.kinds) {
    if (!kind.is_in(lease_partition) || kind.nodes.empty()) continue;
    auto verdict = judge(kind, kind.total, ask);
    int const leases =
        kind.parts_max > 0 ? parts_of(kind, ask.each) : 1;  // of each node
    if (verdict.why.empty() && leases == 0)
      verdict = {3,
                 "is lent in parts, of GPUs of one type with CPUs and memory, "
                 "and none can have " +
                     to_string(ask.each),
                 0};
    if (verdict.why.empty())
      servers.nodes += leases * allowed_by_name(kind.nodes, ask);
    if (std::pair(verdict.passed, verdict.units) >
        std::pair(nearest.passed, nearest.units)) {
      nearest = verdict;
      nearest_node = *kind.nodes.begin();
    }
  }
  if (servers.nodes > 0) return servers;
  servers.why_none =
      "no node of partition " + lease_partition + " " + wanted(ask);
  if (nearest.passed >= 0)
    servers.why_none +=
        "; nearest: " + nearest_node + " " +
        (nearest.why.empty() ? misfit_by_name(nearest_node, ask) : nearest.why);
  return servers;
}

}  // namespace gleaner

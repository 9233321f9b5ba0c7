// SPDX-License-Identifier: Apache-2.0
/// Grouping of nodes by what they have.
#include "slurm/node_kinds.hh"

#include <algorithm>
#include <string_view>

namespace gleaner::slurm {
namespace {

using PartitionsOf =
    std::unordered_map<std::string_view, std::vector<std::uint32_t>>;

PartitionsOf partitions_of_nodes(
    std::vector<PartitionRecord> const& partitions) {
  PartitionsOf result;
  for (std::uint32_t p = 0; p < partitions.size(); ++p)
    for (auto const& node : partitions[p].nodes) result[node].push_back(p);
  return result;
}

/// All that makes a kind, as one text.
void write_key(std::string* key, NodeRecord const& node,
               std::vector<std::uint32_t> const& partitions) {
  *key =
      std::to_string(node.cpus) + ' ' + std::to_string(node.threads_per_core);
  for (auto const& part :
       {std::to_string(node.memory_mb), node.gres, node.features})
    (*key += '\n') += part;
  for (auto const p : partitions) (*key += '\n') += std::to_string(p);
}

NodeKind make_kind(NodeRecord const& node, std::vector<std::uint32_t> const& in,
                   std::vector<PartitionRecord> const& partitions) {
  NodeKind kind;
  kind.total.cpus = node.cpus;
  kind.total.memory_mb = node.memory_mb;
  kind.threads_per_core = node.threads_per_core;
  if (auto gres = parse_gres(node.gres)) kind.total.gres = std::move(*gres);
  kind.features = parse_features(node.features);
  for (auto const p : in) kind.partitions.push_back(partitions[p].name);
  std::sort(kind.partitions.begin(), kind.partitions.end());
  return kind;
}

/// Are they of one kind, and the same node?
bool is_same(NodeRecord const& a, NodeRecord const& b) {
  return a.cpus == b.cpus && a.threads_per_core == b.threads_per_core &&
         a.memory_mb == b.memory_mb && a.name == b.name && a.gres == b.gres &&
         a.features == b.features;
}

}  // namespace

NodeKinds const& NodeKindMemory::of(
    std::vector<NodeRecord> const& nodes,
    std::vector<PartitionRecord> const& partitions) {
  bool const same = partitions == partitions_ &&
                    std::equal(nodes.begin(), nodes.end(), nodes_.begin(),
                               nodes_.end(), is_same);
  if (same) return kinds_;
  kinds_ = node_kinds(nodes, partitions);
  nodes_ = nodes;
  partitions_ = partitions;
  return kinds_;
}

NodeKinds node_kinds(std::vector<NodeRecord> const& nodes,
                     std::vector<PartitionRecord> const& partitions) {
  NodeKinds result;
  auto const partitions_of = partitions_of_nodes(partitions);
  std::unordered_map<std::string, KindIndex> known;
  std::vector<std::uint32_t> const none;
  std::string key;
  result.of.reserve(nodes.size());
  for (auto const& node : nodes) {
    auto const found = partitions_of.find(node.name);
    auto const& in = found == partitions_of.end() ? none : found->second;
    write_key(&key, node, in);
    auto const [at, is_new] =
        known.try_emplace(key, static_cast<KindIndex>(result.kinds.size()));
    if (is_new) result.kinds.push_back(make_kind(node, in, partitions));
    result.kinds[at->second].nodes.insert(node.name);
    result.of.push_back(at->second);
  }
  return result;
}

}  // namespace gleaner::slurm

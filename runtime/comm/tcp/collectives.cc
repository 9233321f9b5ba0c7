// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/collectives.hh"

#include <cstring>

namespace gleaner::comm::tcp {
namespace {

/// Up to so many bytes, log2(n) rounds of all of it take less time than 2 (n-1)
/// rounds of a part: measured with 4 and 8 nodes.
constexpr std::size_t doubling_bytes_max = 128 << 10;

}  // namespace

Collectives::Collectives(Layout const& layout, int rank, Traffic const& traffic,
                         std::map<int, Link>& links, NodeMemory* memory)
    : layout_(layout), rank_(rank) {
  if (memory) node_.emplace(*memory);
  auto const count = layout.node_count();
  if (!layout.leads() || count == 1) return;
  auto const position = layout.node;
  ring_.emplace(traffic, position, count,
                links.at((position + count - 1) % count),
                links.at((position + 1) % count));
  doubling_.emplace(traffic, position, count,
                    [&links](int node) -> Link& { return links.at(node); });
}

Result<void> Collectives::sum_nodes(void const* local, void* sum, std::size_t n,
                                    Element type) {
  return n * size_of(type) <= doubling_bytes_max
             ? doubling_->run(operation_, local, sum, n, type)
             : ring_->run(operation_, local, sum, n, type);
}

Result<void> Collectives::allreduce(void const* local, void* sum, std::size_t n,
                                    Element type) {
  ++operation_;
  if (!node_) return sum_nodes(local, sum, n, type);
  if (layout_.node_count() == 1)
    return node_->run(local, sum, n, type, NodeSum::For::all);
  auto done = node_->run(local, sum, n, type, NodeSum::For::leader);
  if (done && layout_.leads()) done = sum_nodes(sum, sum, n, type);
  if (!done) return done;
  return node_->spread(sum, n * size_of(type), 0);
}

/// Of a buffer in the order of ranks.
std::vector<Range> Collectives::parts_of(std::vector<int> const& ranks,
                                         std::span<std::size_t const> cuts,
                                         Element type) const {
  std::vector<Range> parts;
  for (int const rank : ranks) {
    auto const r = std::size_t(rank);
    parts.push_back(
        {cuts[r] * size_of(type), (cuts[r + 1] - cuts[r]) * size_of(type)});
  }
  return parts;
}

/// Of a buffer in the order of nodes: what is each node's.
std::vector<Range> Collectives::packed(std::span<std::size_t const> cuts,
                                       Element type) const {
  std::vector<Range> chunks;
  std::size_t offset = 0;
  for (auto const& ranks : layout_.nodes) {
    std::size_t bytes = 0;
    for (auto const& part : parts_of(ranks, cuts, type)) bytes += part.bytes;
    chunks.push_back({offset, bytes});
    offset += bytes;
  }
  return chunks;
}

/// What is each node's where members are alone on theirs.
std::vector<Range> Collectives::chunks_by_rank(
    std::span<std::size_t const> cuts, Element type) const {
  std::vector<Range> chunks;
  for (auto const& ranks : layout_.nodes)
    chunks.push_back(parts_of(ranks, cuts, type)[0]);
  return chunks;
}

/// Between a buffer in the order of nodes and one in the order of ranks.
void Collectives::pack(Way way, char* by_node, char* by_rank,
                       std::span<std::size_t const> cuts, Element type) const {
  for (auto const& ranks : layout_.nodes)
    for (auto const& part : parts_of(ranks, cuts, type)) {
      if (part.bytes > 0 && way == Way::in)
        std::memcpy(by_node, by_rank + part.offset, part.bytes);
      else if (part.bytes > 0)
        std::memcpy(by_rank + part.offset, by_node, part.bytes);
      by_node += part.bytes;
    }
}

/// Are all members alone on their nodes?
bool Collectives::spread_out() const {
  for (auto const& ranks : layout_.nodes)
    if (ranks.size() > 1) return false;
  return true;
}

Result<void> Collectives::reduce_scatter(void const* local, void* part,
                                         std::span<std::size_t const> cuts,
                                         Element type) {
  ++operation_;
  auto const n = cuts.back(), bytes = n * size_of(type);
  by_rank_.resize(bytes);
  auto const own = parts_of({rank_}, cuts, type)[0];
  auto done = reduce_scatter_to_buffer(local, n, cuts, type);
  if (done && own.bytes > 0)
    std::memcpy(part, by_rank_.data() + own.offset, own.bytes);
  return done;
}

Result<void> Collectives::reduce_scatter_to_buffer(
    void const* local, std::size_t n, std::span<std::size_t const> cuts,
    Element type) {
  auto* const sum = by_rank_.data();
  if (layout_.node_count() == 1)
    return node_->run(local, sum, n, type, NodeSum::For::all);
  if (spread_out())
    return ring_->reduce_scatter(operation_, local, sum,
                                 chunks_by_rank(cuts, type), type);
  if (node_) {
    auto done = node_->run(local, sum, n, type, NodeSum::For::leader);
    if (!done) return done;
  } else {
    std::memcpy(sum, local, n * size_of(type));
  }
  if (layout_.leads()) {
    by_node_.resize(by_rank_.size());
    pack(Way::in, by_node_.data(), sum, cuts, type);
    auto done = ring_->reduce_scatter(
        operation_, by_node_.data(), by_node_.data(), packed(cuts, type), type);
    if (!done) return done;
    pack(Way::out, by_node_.data(), sum, cuts, type);
  }
  if (!node_) return {};
  // Of the leader's buffer only the parts of its node are of use.
  for (auto const& of_seat : parts_of(layout_.own_node(), cuts, type)) {
    auto done = node_->spread(sum + of_seat.offset, of_seat.bytes, 0);
    if (!done) return done;
  }
  return {};
}

Result<void> Collectives::all_gather(void const* part, void* all,
                                     std::span<std::size_t const> cuts,
                                     Element type) {
  ++operation_;
  auto const bytes = cuts.back() * size_of(type);
  auto* const data = static_cast<char*>(all);
  auto const own = parts_of({rank_}, cuts, type);
  if (own[0].bytes > 0) std::memmove(data + own[0].offset, part, own[0].bytes);
  if (spread_out())
    return ring_->all_gather(operation_, data, chunks_by_rank(cuts, type));
  if (node_)
    if (auto done = node_->gather(data, bytes, own); !done) return done;
  if (layout_.node_count() == 1) return {};
  if (layout_.leads()) {
    by_node_.resize(bytes);
    pack(Way::in, by_node_.data(), data, cuts, type);
    auto done =
        ring_->all_gather(operation_, by_node_.data(), packed(cuts, type));
    if (!done) return done;
    pack(Way::out, by_node_.data(), data, cuts, type);
  }
  return node_ ? node_->spread(data, bytes, 0) : Result<void>();
}

/// What is small goes by doubling, as a sum to which the others add nothing.
Result<void> Collectives::spread_nodes(void* data, std::size_t bytes,
                                       int node) {
  if (bytes > doubling_bytes_max)
    return ring_->spread(operation_, data, bytes, node);
  auto const words = (bytes + sizeof(std::int64_t) - 1) / sizeof(std::int64_t);
  std::vector<std::int64_t> sum(words);
  if (layout_.node == node) std::memcpy(sum.data(), data, bytes);
  auto done =
      doubling_->run(operation_, sum.data(), sum.data(), words, Element::int64);
  if (done) std::memcpy(data, sum.data(), bytes);
  return done;
}

Result<void> Collectives::broadcast(void* data, std::size_t bytes, int root) {
  ++operation_;
  int node = 0, seat = 0;
  for (int i = 0; i < layout_.node_count(); ++i) {
    auto const& ranks = layout_.nodes[std::size_t(i)];
    for (std::size_t j = 0; j < ranks.size(); ++j)
      if (ranks[j] == root) node = i, seat = int(j);
  }
  bool const here = layout_.node == node;
  if (node_ && here)
    if (auto done = node_->spread(data, bytes, seat); !done) return done;
  if (layout_.leads() && layout_.node_count() > 1)
    if (auto done = spread_nodes(data, bytes, node); !done) return done;
  if (node_ && !here) return node_->spread(data, bytes, 0);
  return {};
}

}  // namespace gleaner::comm::tcp

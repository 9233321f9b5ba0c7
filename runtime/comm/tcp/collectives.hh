// SPDX-License-Identifier: Apache-2.0
/// What one member does in each operation: within its node, between nodes, and
/// within its node again.
///
/// Members of a node sum in shared memory; the first of them speaks to other
/// nodes for all.  Operations are numbered, and all members call the same.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/comm/tcp/doubling_sum.hh"
#include "runtime/comm/tcp/layout.hh"
#include "runtime/comm/tcp/node_sum.hh"
#include "runtime/comm/tcp/ring_sum.hh"

namespace gleaner::comm::tcp {

class Collectives {
 public:
  /// `links`: by node, of the member that speaks for its own; `memory`: NULL
  /// where a member is alone on its node.
  Collectives(Layout const& layout, int rank, Traffic const& traffic,
              std::map<int, Link>& links, NodeMemory* memory);

  // As those of Plane; n is not 0.
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type);
  Result<void> reduce_scatter(void const* local, void* part,
                              std::span<std::size_t const> cuts, Element type);
  Result<void> all_gather(void const* part, void* all,
                          std::span<std::size_t const> cuts, Element type);
  Result<void> broadcast(void* data, std::size_t bytes, int root);

 private:
  Result<void> sum_nodes(void const* local, void* sum, std::size_t n,
                         Element type);
  Result<void> spread_nodes(void* data, std::size_t bytes, int node);
  std::vector<Range> parts_of(std::vector<int> const& ranks,
                              std::span<std::size_t const> cuts,
                              Element type) const;
  bool spread_out() const;
  Result<void> reduce_scatter_to_buffer(void const* local, std::size_t n,
                                        std::span<std::size_t const> cuts,
                                        Element type);
  std::vector<Range> chunks_by_rank(std::span<std::size_t const> cuts,
                                    Element type) const;
  std::vector<Range> packed(std::span<std::size_t const> cuts,
                            Element type) const;
  enum class Way { in, out };
  void pack(Way way, char* by_node, char* by_rank,
            std::span<std::size_t const> cuts, Element type) const;

  Layout const& layout_;
  int const rank_;
  std::uint64_t operation_ = 0;
  std::optional<NodeSum> node_;  ///< where there are others on the node
  std::optional<RingSum> ring_;  ///< of the one that speaks for its node
  std::optional<DoublingSum> doubling_;
  std::vector<char> by_rank_, by_node_;  ///< buffers of some operations
};

}  // namespace gleaner::comm::tcp

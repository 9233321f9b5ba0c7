// SPDX-License-Identifier: Apache-2.0
/// A layout is a flow of the least cost: from each cell `copies` units, over
/// the nodes, where each cell may pass once, to members, which take cells_max()
/// units each.  A unit costs 1 where the member did not have the cell.  What is
/// kept is a flow that costs nothing, so it is of the least cost for its size;
/// each further unit goes the cheapest way, which may send another cell
/// somewhere else.
#include "runtime/generation/layout.hh"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>

namespace gleaner::generation {
namespace {

using Vertex = std::size_t;

/// A network in which units are sent from vertex 0 to vertex 1.
class Network {
 public:
  explicit Network(std::size_t vertices) : out_(vertices) {}

  /// Returns the number of the edge.
  std::size_t add(Vertex from, Vertex to, std::size_t room, int cost) {
    out_[from].push_back(edges_.size());
    edges_.push_back({from, to, room, cost});
    out_[to].push_back(edges_.size());
    edges_.push_back({to, from, 0, -cost});
    return edges_.size() - 2;
  }

  bool has_room(std::size_t edge) const { return edges_[edge].room > 0; }
  bool is_used(std::size_t edge) const { return edges_[edge + 1].room > 0; }

  void send(std::size_t edge) {
    --edges_[edge].room;
    ++edges_[edge ^ 1].room;
  }

  /// Send one unit the cheapest way (Bellman-Ford with a queue); false when
  /// there is none.
  bool augment();

 private:
  struct Edge {
    Vertex from, to;
    std::size_t room;
    int cost;
  };

  std::vector<std::vector<std::size_t>> out_;
  std::vector<Edge> edges_;
};

bool Network::augment() {
  constexpr int far = std::numeric_limits<int>::max();
  std::vector<int> cost(out_.size(), far);
  std::vector<std::size_t> by(out_.size());
  std::vector<bool> queued(out_.size());
  std::deque<Vertex> open{0};
  cost[0] = 0;
  while (!open.empty()) {
    auto const vertex = open.front();
    open.pop_front();
    queued[vertex] = false;
    for (auto const number : out_[vertex]) {
      auto const& edge = edges_[number];
      if (edge.room == 0 || cost[vertex] + edge.cost >= cost[edge.to]) continue;
      cost[edge.to] = cost[vertex] + edge.cost;
      by[edge.to] = number;
      if (!queued[edge.to]) open.push_back(edge.to);
      queued[edge.to] = true;
    }
  }
  if (cost[1] == far) return false;
  for (Vertex at = 1; at != 0; at = edges_[by[at]].from) send(by[at]);
  return true;
}

/// Members by number, and the numbers of their nodes.
struct Places {
  explicit Places(std::vector<Holder> const& members) {
    std::map<std::string, std::size_t> numbers;
    for (auto const& member : members) {
      auto const node =
          numbers.emplace(member.node, numbers.size()).first->second;
      node_of.push_back(node);
      if (node == members_on.size()) members_on.push_back(0);
      ++members_on[node];
    }
  }

  std::vector<std::size_t> node_of;     ///< by member
  std::vector<std::size_t> members_on;  ///< by node
};

/// The network of one change of members.
class Assignment {
 public:
  Assignment(Layout const& previous, std::vector<Holder> const& members,
             std::size_t copies);

  /// Holders of each cell, in the order of `members`.
  std::vector<std::vector<msg::MemberId>> cells() const;

 private:
  /// How a copy of a cell comes to a member.
  struct Way {
    std::size_t from_source, over_node, to_member, to_sink;
    bool had;
  };

  void keep();
  Way const& way(std::size_t cell, std::size_t member) const {
    return ways_[cell * members_.size() + member];
  }

  std::vector<Holder> const& members_;
  std::size_t cells_;
  Network network_;
  std::vector<Way> ways_;
};

Assignment::Assignment(Layout const& previous,
                       std::vector<Holder> const& members, std::size_t copies)
    : members_(members), cells_(previous.cells.size()), network_(0) {
  Places const places(members);
  auto const nodes = places.members_on.size();
  copies = std::min(copies, nodes);
  auto const first_pair = 2 + cells_;
  auto const first_member = first_pair + cells_ * nodes;
  network_ = Network(first_member + members.size());
  std::vector<std::size_t> sinks;
  auto const load_max = cells_max(members, cells_, copies);
  for (std::size_t m = 0; m < members.size(); ++m)
    sinks.push_back(network_.add(first_member + m, 1, load_max, 0));
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    auto const source = network_.add(0, 2 + cell, copies, 0);
    std::vector<std::size_t> over;
    for (std::size_t node = 0; node < nodes; ++node)
      over.push_back(
          network_.add(2 + cell, first_pair + cell * nodes + node, 1, 0));
    auto const& holders = previous.cells[cell];
    for (std::size_t m = 0; m < members.size(); ++m) {
      auto const node = places.node_of[m];
      bool const had =
          std::count(holders.begin(), holders.end(), members[m].id) > 0;
      auto const pair = first_pair + cell * nodes + node;
      auto const taken = network_.add(pair, first_member + m, 1, had ? 0 : 1);
      ways_.push_back({source, over[node], taken, sinks[m], had});
    }
  }
  keep();
  while (network_.augment()) {
  }
}

/// What can stay where it is, cell by cell.
void Assignment::keep() {
  for (auto const& way : ways_) {
    if (!way.had) continue;
    auto const edges = {way.from_source, way.over_node, way.to_member,
                        way.to_sink};
    if (!std::all_of(edges.begin(), edges.end(), [this](std::size_t edge) {
          return network_.has_room(edge);
        }))
      continue;
    for (auto const edge : edges) network_.send(edge);
  }
}

std::vector<std::vector<msg::MemberId>> Assignment::cells() const {
  std::vector<std::vector<msg::MemberId>> found(cells_);
  for (std::size_t cell = 0; cell < cells_; ++cell)
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (network_.is_used(way(cell, m).to_member))
        found[cell].push_back(members_[m].id);
  return found;
}

/// Which holder owns a cell moves nothing: the one that owns the fewest, so
/// far.
void choose_owners(Layout& layout) {
  std::map<msg::MemberId, std::size_t> owned;
  for (auto& holders : layout.cells) {
    auto const owner = std::min_element(
        holders.begin(), holders.end(),
        [&owned](auto const& a, auto const& b) { return owned[a] < owned[b]; });
    if (owner == holders.end()) continue;
    std::iter_swap(holders.begin(), owner);
    ++owned[holders.front()];
  }
}

}  // namespace

std::size_t cells_max(std::vector<Holder> const& members, std::size_t cells,
                      std::size_t copies) {
  Places const places(members);
  auto const wanted = cells * std::min(copies, places.members_on.size());
  for (std::size_t load = 0;; ++load) {
    std::size_t room = 0;
    for (auto const on_node : places.members_on)
      room += std::min(cells, load * on_node);
    if (room >= wanted) return load;
  }
}

Layout next_layout(Layout const& previous, std::vector<Holder> const& members,
                   std::size_t copies) {
  Layout next{Assignment(previous, members, copies).cells()};
  choose_owners(next);
  return next;
}

std::vector<CellMove> moves(Layout const& previous, Layout const& next) {
  std::set<msg::MemberId> present;
  for (auto const& holders : next.cells)
    present.insert(holders.begin(), holders.end());
  std::map<msg::MemberId, std::size_t> sent;
  std::vector<CellMove> found;
  for (std::size_t cell = 0; cell < next.cells.size(); ++cell) {
    std::vector<msg::MemberId> senders;
    auto const& had = previous.cells[cell];
    std::copy_if(had.begin(), had.end(), std::back_inserter(senders),
                 [&present](auto member) { return present.count(member) > 0; });
    if (senders.empty()) continue;
    for (auto const to : next.cells[cell]) {
      if (std::count(had.begin(), had.end(), to) > 0) continue;
      auto const from = *std::min_element(
          senders.begin(), senders.end(),
          [&sent](auto const& a, auto const& b) { return sent[a] < sent[b]; });
      ++sent[from];
      found.push_back({cell, from, to});
    }
  }
  return found;
}

std::vector<std::size_t> lost_cells(Layout const& previous,
                                    std::vector<Holder> const& members) {
  std::vector<std::size_t> lost;
  for (std::size_t cell = 0; cell < previous.cells.size(); ++cell) {
    auto const& had = previous.cells[cell];
    bool const held = std::any_of(
        members.begin(), members.end(), [&had](Holder const& member) {
          return std::count(had.begin(), had.end(), member.id) > 0;
        });
    if (!held) lost.push_back(cell);
  }
  return lost;
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// Making nodes of what a snapshot and places say of them, where that differs
/// from before.
#include "daemon/decisions/supply_nodes.hh"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/place.hh"

namespace gleaner::daemon {
namespace {

constexpr std::size_t gone = std::numeric_limits<std::size_t>::max();

std::string_view node_part(std::string_view place) {
  return place.substr(0, place.find('+'));
}

std::vector<SharedNode const*> by_name(std::vector<SharedNode> const& shared) {
  std::vector<SharedNode const*> sorted;
  sorted.reserve(shared.size());
  for (auto const& node : shared) sorted.push_back(&node);
  auto const before = [](auto* a, auto* b) { return a->node < b->node; };
  if (!std::is_sorted(sorted.begin(), sorted.end(), before))
    std::sort(sorted.begin(), sorted.end(), before);
  return sorted;
}

/// The places that are parts of one node.
struct PartsOf {
  Places::const_iterator begin, end;
};

bool is_unlent(Place const& place) { return place.lease == 0; }

}  // namespace

/// What is said of one node.
struct SupplyNodes::Source {
  std::string_view name;
  KindIndex kind = 0;
  std::uint32_t weight = 1;
  Resources const* free = nullptr;
  bool untouched = true;
  bool parted = false;
  Place const* whole = nullptr;
  PartsOf parts;

  bool made(SupplyNode const& node) const;
  SupplyNode make(std::set<std::string> const& withheld) const;
};

/// Is the node what this would make?
bool SupplyNodes::Source::made(SupplyNode const& node) const {
  if (node.name != name || node.kind != kind || node.weight != weight ||
      node.untouched != untouched || node.parted != parted ||
      node.lent != (whole && whole->lent) ||
      node.lease != (node.lent ? whole->lease : 0) || node.told_free != *free)
    return false;
  std::size_t i = 0;
  for (auto at = parts.begin; at != parts.end; ++at, ++i) {
    if (i == node.parts.size()) return false;
    auto const& [place_name, place] = *at;
    auto const& part = node.parts[i];
    if (node.part_names[i] != place_name || part.lent != place.lent ||
        part.lease != place.lease || part.has != *place.part)
      return false;
  }
  return i == node.parts.size();
}

SupplyNode SupplyNodes::Source::make(
    std::set<std::string> const& withheld) const {
  SupplyNode node{.name = std::string(name),
                  .kind = kind,
                  .weight = weight,
                  .parted = parted,
                  .untouched = untouched,
                  .told_free = *free,
                  .free = *free};
  node.lent = whole && whole->lent;
  node.lease = node.lent ? whole->lease : 0;
  for (auto at = parts.begin; at != parts.end; ++at) {
    auto const& [place_name, place] = *at;
    // What leases have is not among what is free; what could be lent is.
    if (is_unlent(place)) node.free = minus(node.free, *place.part);
    if (withheld.count(place_name)) continue;
    node.parts.push_back({*place.part, place.lent, place.lease});
    node.part_names.push_back(place_name);
  }
  node.add_up();
  return node;
}

bool SupplyNode::has_leases() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](auto const& part) { return part.lent; });
}

void SupplyNode::add_up() {
  beside = all = free;
  for (auto const& part : parts) {
    all = plus(all, part.has);
    if (!part.lent) beside = plus(beside, part.has);
  }
}

/// Goes through places and shared nodes side by side, in the order of nodes'
/// names, which is that of places' as well: no name has a character before '+'.
class SupplyNodes::Merge {
 public:
  Merge(Snapshot const& snapshot, Places const& places,
        std::set<std::string> const& withheld)
      : snapshot_(snapshot), places_(places), withheld_(withheld) {}

  std::vector<Source> sources() {
    auto const shared = by_name(snapshot_.shared);
    auto node = shared.begin();
    for (auto at = places_.begin(); at != places_.end();) {
      auto const name = node_part(at->first);
      for (; node != shared.end() && (*node)->node < name; ++node)
        add_shared(**node, {at, at});
      SharedNode const* also = nullptr;
      if (node != shared.end() && (*node)->node == name) also = *node++;
      at = add_places(name, at, also);
    }
    for (; node != shared.end(); ++node)
      add_shared(**node, {places_.end(), places_.end()});
    return std::move(sources_);
  }

 private:
  Places::const_iterator add_places(std::string_view name,
                                    Places::const_iterator at,
                                    SharedNode const* shared) {
    bool const is_whole = !at->second.part;
    if (is_whole) {
      add_whole(*at);
      ++at;
    }
    PartsOf parts{at, at};
    while (parts.end != places_.end() && node_part(parts.end->first) == name)
      ++parts.end;
    if (shared && !is_whole)
      add_shared(*shared, parts);
    else if (parts.begin != parts.end)
      add_closed(name, parts);
    return parts.end;
  }

  void add_whole(Places::value_type const& entry) {
    auto const& [name, place] = entry;
    auto const kind = place.hole.kind;
    if (kind >= snapshot_.kinds.size() || withheld_.count(name)) return;
    sources_.push_back({.name = name,
                        .kind = kind,
                        .weight = place.hole.weight,
                        .free = &snapshot_.kinds[kind].total,
                        .whole = &place,
                        .parts = {places_.end(), places_.end()}});
  }

  void add_shared(SharedNode const& node, PartsOf const& parts) {
    if (node.kind >= snapshot_.kinds.size()) return;
    bool const untouched = node.parted
                               ? node.running.empty()
                               : node.free == snapshot_.kind(node.kind).total;
    sources_.push_back({.name = node.node,
                        .kind = node.kind,
                        .weight = node.weight,
                        .free = &node.free,
                        .untouched = untouched,
                        .parted = node.parted,
                        .parts = parts});
  }

  /// A node on which a lease completes is closed to all for a moment.
  void add_closed(std::string_view name, PartsOf const& parts) {
    static Resources const nothing;
    auto const& hole = parts.begin->second.hole;
    if (hole.kind >= snapshot_.kinds.size()) return;
    sources_.push_back({.name = name,
                        .kind = hole.kind,
                        .weight = hole.weight,
                        .free = &nothing,
                        .untouched = false,
                        .parted = true,
                        .parts = parts});
  }

  Snapshot const& snapshot_;
  Places const& places_;
  std::set<std::string> const& withheld_;
  std::vector<Source> sources_;
};

void SupplyNodes::update(Snapshot const& snapshot, Places const& places,
                         std::set<std::string> const& withheld) {
  std::vector<Resources> totals;
  for (auto const& kind : snapshot.kinds) totals.push_back(kind.total);
  bool const all_again =
      any_withheld_ || !withheld.empty() || totals != totals_;
  totals_ = std::move(totals);
  any_withheld_ = !withheld.empty();
  auto before = std::exchange(nodes_, {});
  if (all_again) before.clear();
  std::vector<std::size_t> now_at(before.size(), gone);  ///< by index before
  std::vector<std::size_t> made;
  std::size_t old = 0;
  for (auto const& source : Merge(snapshot, places, withheld).sources()) {
    while (old < before.size() && before[old].name < source.name) ++old;
    // One name may be twice there: whole, and parts that are ending.
    auto same = old;
    while (same < before.size() && before[same].name == source.name &&
           !source.made(before[same]))
      ++same;
    if (same < before.size() && before[same].name == source.name) {
      now_at[same] = nodes_.size();
      nodes_.push_back(std::move(before[same]));
      old = same + 1;
    } else {
      made.push_back(nodes_.size());
      nodes_.push_back(source.make(withheld));
    }
  }
  rebuild_order(now_at, made);
}

/// Entries of nodes that are as they were keep their order among each other.
void SupplyNodes::rebuild_order(std::vector<std::size_t> const& now_at,
                                std::vector<std::size_t> const& made) {
  std::vector<SupplyEntry> kept, added;
  kept.reserve(entries_.size());
  for (auto& entry : entries_)
    if (entry.node < now_at.size() && now_at[entry.node] != gone) {
      entry.node = now_at[entry.node];
      kept.push_back(entry);
    }
  for (auto const index : made) {
    auto const& node = nodes_[index];
    JobId oldest = 0;
    for (auto const& part : node.parts)
      if (part.lent && (oldest == 0 || part.lease < oldest))
        oldest = part.lease;
    added.push_back({.node = index,
                     .weight = node.weight,
                     .lent = node.lent,
                     .lease = node.lease,
                     .used_in_part = node.untouched ? 0 : node.beside.cpus});
    if (node.has_leases())
      added.push_back({.node = index,
                       .takes_back = true,
                       .weight = node.weight,
                       .lent = true,
                       .lease = oldest});
  }
  auto const order = [this](SupplyEntry const& entry) {
    return std::tuple(entry.weight, entry.lent, entry.lease, entry.used_in_part,
                      std::string_view(nodes_[entry.node].name), entry.node,
                      entry.takes_back);
  };
  auto const sooner = [&](auto& a, auto& b) { return order(a) < order(b); };
  std::sort(added.begin(), added.end(), sooner);
  entries_.clear();
  entries_.reserve(kept.size() + added.size());
  std::merge(kept.begin(), kept.end(), added.begin(), added.end(),
             std::back_inserter(entries_), sooner);
  by_kind_.assign(totals_.size(), {});
  for (std::size_t i = 0; i < entries_.size(); ++i)
    by_kind_[nodes_[entries_[i].node].kind].push_back(i);
}

}  // namespace gleaner::daemon

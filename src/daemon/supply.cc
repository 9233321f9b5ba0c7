// SPDX-License-Identifier: Apache-2.0
/// Matching of waiting jobs with what is free or lent.
#include "daemon/supply.hh"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/place.hh"

namespace gleaner {
namespace {

/// Dear ways that are compared before one is taken.
constexpr std::size_t dear_most = 64;

/// Calls `each(name)` for the names of "a,b" until one gives true.
template <class Each>
bool any_of_list(std::string_view list, Each each) {
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    if (comma > 0 && each(std::string(list.substr(0, comma)))) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// What decides where a job fits, nodes by name left out.
std::string key_of(PendingJob const& job) {
  return job.partition + '\n' + job.constraint + '\n' + job.reservation + '\n' +
         std::to_string(job.each.cpus) + ' ' +
         std::to_string(job.each.memory_mb) + ' ' + to_string(job.each.gres) +
         '\n' + to_string(job.gres) + '\n' + std::to_string(job.nodes) +
         (job.whole ? "w" : "") + (job.whole_memory ? "m" : "");
}

bool is_anywhere(PendingJob const& job) {
  return job.required.empty() && job.excluded.empty();
}

/// Take what there is of `left` from `free`; what that is.
Gres take_units(Gres const& free, Gres* left) {
  Gres taken;
  for (auto at = left->begin(); at != left->end();) {
    auto const& key = at->first;
    bool const typed = key.find(':') != std::string::npos;
    auto const found = free.find(key);
    auto const there = !typed                ? count_of(free, key)
                       : found == free.end() ? 0
                                             : found->second;
    if (auto const some = std::min(at->second, there); some > 0) {
      taken[key] = some;
      at->second -= some;
    }
    at = at->second == 0 ? left->erase(at) : std::next(at);
  }
  return taken;
}

/// Has it a unit of each GRES that the job counts over all nodes?
bool contributes(Gres const& free, Gres const& in_all) {
  return std::all_of(in_all.begin(), in_all.end(), [&](auto const& entry) {
    return covers(free, Gres{{entry.first, 1}});
  });
}

using PlacesOfNode = std::map<std::string, std::vector<Place const*>>;

PlacesOfNode parts_by_node(Places const& places) {
  PlacesOfNode parts;
  for (auto const& [name, place] : places)
    if (place.part) parts[node_of(name)].push_back(&place);
  return parts;
}

}  // namespace

/// Entries chosen so far.
struct Supply::Choice {
  std::vector<std::size_t> entries;
  std::size_t least = 1;          ///< how many it must be
  std::size_t required_left = 0;  ///< nodes by name still missing
  Gres left;                      ///< of what is counted over all nodes
  /// Ways that take several leases back, with how many: perhaps there is a
  /// cheaper one of the same Weight.
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> dear = {};

  bool is_done() const {
    return entries.size() >= least && required_left == 0 && left.empty();
  }
};

Resources Supply::Node::beside() const {
  auto sum = free;
  for (auto const& part : parts)
    if (!part.lent) sum = plus(sum, part.has);
  return sum;
}

Resources Supply::Node::all() const {
  auto sum = free;
  for (auto const& part : parts) sum = plus(sum, part.has);
  return sum;
}

bool Supply::Node::has_leases() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](auto const& part) { return part.lent; });
}

std::vector<std::string> Supply::Taken::places() const {
  std::vector<std::string> names;
  for (auto const& node : nodes_)
    names.insert(names.end(), node.places.begin(), node.places.end());
  return names;
}

Supply::Supply(Snapshot const& snapshot, Places const& places, Memory memory,
               std::set<std::string> const& withheld)
    : snapshot_(snapshot), memory_(memory), by_kind_(snapshot.kinds.size()) {
  add_whole(places, withheld);
  add_shared(places, withheld);
  auto const order = [this](Entry const& entry) {
    return std::tuple(entry.weight, entry.lent, entry.lease, entry.used_in_part,
                      std::string_view(nodes_[entry.node].name));
  };
  std::sort(entries_.begin(), entries_.end(),
            [&](auto& a, auto& b) { return order(a) < order(b); });
  entries_of_.resize(nodes_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    by_kind_[nodes_[entries_[i].node].kind].push_back(i);
    entries_of_[entries_[i].node].push_back(i);
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) refresh(node);
}

void Supply::add_whole(Places const& places,
                       std::set<std::string> const& withheld) {
  for (auto const& [name, place] : places) {
    if (place.part || place.hole.kind >= snapshot_.kinds.size() ||
        withheld.count(name))
      continue;
    entries_.push_back({.node = nodes_.size(),
                        .weight = place.hole.weight,
                        .lent = place.lent,
                        .lease = place.lent ? place.lease : 0});
    nodes_.push_back(
        {name, place.hole.kind, snapshot_.kind(place.hole.kind).total});
  }
}

void Supply::add_shared(Places const& places,
                        std::set<std::string> const& withheld) {
  auto parts = parts_by_node(places);
  for (auto const& shared : snapshot_.shared) {
    if (places.count(shared.node)) continue;
    bool const untouched =
        shared.parted ? shared.running.empty()
                      : shared.free == snapshot_.kind(shared.kind).total;
    add_shared(
        {shared.node, shared.kind, shared.free, untouched, shared.parted},
        shared.weight, parts[shared.node], withheld);
    parts.erase(shared.node);
  }
  // A node on which a lease completes is closed to all for a moment.
  for (auto const& [name, of_node] : parts) {
    auto const& hole = of_node.front()->hole;
    if (hole.kind < snapshot_.kinds.size())
      add_shared({name, hole.kind, {}, false, true}, hole.weight, of_node,
                 withheld);
  }
}

void Supply::add_shared(Node node, std::uint32_t weight,
                        std::vector<Place const*> const& places,
                        std::set<std::string> const& withheld) {
  JobId oldest = 0;
  for (auto const* place : places) {
    // What leases have is not among what is free; what could be lent is.
    if (place->lease == 0) node.free = minus(node.free, *place->part);
    if (withheld.count(place->hole.node)) continue;
    node.parts.push_back({*place->part, place->lent, place->lease});
    node.part_names.push_back(place->hole.node);
    if (place->lent && (oldest == 0 || place->lease < oldest))
      oldest = place->lease;
  }
  int const used_in_part = node.untouched ? 0 : node.beside().cpus;
  entries_.push_back(
      {.node = nodes_.size(), .weight = weight, .used_in_part = used_in_part});
  if (node.has_leases())
    entries_.push_back({.node = nodes_.size(),
                        .takes_back = true,
                        .weight = weight,
                        .lent = true,
                        .lease = oldest});
  nodes_.push_back(std::move(node));
}

/// What the ways to use a node have changes with what is left of it.
void Supply::refresh(std::size_t index) {
  auto const& node = nodes_[index];
  for (auto const entry : entries_of_[index])
    entries_[entry].available =
        entries_[entry].takes_back ? node.all() : node.beside();
}

Supply::Shape const& Supply::shape_of(PendingJob const& job) {
  auto const [found, is_new] = shapes_.try_emplace(key_of(job));
  auto& shape = found->second;
  if (!is_new) return shape;
  for (auto const& kind : snapshot_.kinds)
    shape.kinds.push_back(kind_fits(kind, job));
  any_of_list(job.reservation, [&](auto const& name) {
    auto const at = snapshot_.reservations.find(name);
    if (at != snapshot_.reservations.end()) shape.within.push_back(&at->second);
    return false;
  });
  return shape;
}

bool Supply::fits(Entry const& entry, PendingJob const& job,
                  Shape const& shape) const {
  auto const& node = nodes_[entry.node];
  auto const& have = entry.available;
  if (job.whole &&
      (!node.untouched || (!entry.takes_back && node.has_leases())))
    return false;
  auto each = job.each;
  if (job.whole_memory)
    each.memory_mb = snapshot_.kind(node.kind).total.memory_mb;
  if (memory_ == Memory::ignored) each.memory_mb = 0;
  if (job.excluded.contains(node.name)) return false;
  if (!shape.within.empty() &&
      std::none_of(shape.within.begin(), shape.within.end(),
                   [&](auto* nodes) { return nodes->contains(node.name); }))
    return false;
  return covers(have, each) && contributes(have.gres, job.gres);
}

/// What the job gets of the node; of what it counts over all nodes what there
/// is of `left`.
Resources Supply::needs_on(Entry const& entry, PendingJob const& job,
                           Gres* left) const {
  auto const& have = entry.available;
  auto needs = job.each;
  if (job.whole_memory) needs.memory_mb = have.memory_mb;
  if (memory_ == Memory::ignored) needs.memory_mb = 0;
  needs.gres = plus(needs.gres, take_units(have.gres, left));
  return needs;
}

/// The parts that it takes for that, as indices.
Supply::Parts Supply::parts_for(Entry const& entry, PendingJob const& job,
                                Resources const& needs) const {
  auto const& node = nodes_[entry.node];
  if (node.parts.empty()) return {};
  if (!job.whole)
    if (auto parts = release_set(node.free, node.parts, needs)) return *parts;
  Parts all;
  for (std::size_t i = 0; i < node.parts.size(); ++i)
    if (entry.takes_back || !node.parts[i].lent) all.push_back(i);
  return all;
}

void Supply::add(std::size_t index, PendingJob const& job, Choice* choice) {
  auto const& entry = entries_[index];
  if (job.required.contains(nodes_[entry.node].name)) --choice->required_left;
  choice->entries.push_back(index);
  take_units(entry.available.gres, &choice->left);
}

bool Supply::is_wanted(Entry const& entry, PendingJob const& job,
                       Choice const& choice) const {
  bool const again = std::any_of(
      choice.entries.begin(), choice.entries.end(),
      [&](auto index) { return entries_[index].node == entry.node; });
  if (again || choice.is_done()) return false;
  return job.required.contains(nodes_[entry.node].name) ||
         choice.entries.size() + choice.required_left < choice.least ||
         !choice.left.empty();
}

/// Puts off what takes several leases back: there may be a node of the same
/// Weight that costs one.
void Supply::consider(std::size_t index, PendingJob const& job,
                      Choice* choice) {
  auto const& entry = entries_[index];
  if (!is_wanted(entry, job, *choice)) return;
  auto const& parts = nodes_[entry.node].parts;
  if (entry.takes_back && choice->dear.size() < dear_most) {
    auto left = choice->left;
    auto const taken = parts_for(entry, job, needs_on(entry, job, &left));
    auto const cost = std::count_if(taken.begin(), taken.end(), [&](auto part) {
      return parts[part].lent;
    });
    if (cost > 1) {
      choice->dear.emplace_back(cost, index);
      return;
    }
  }
  add(index, job, choice);
}

void Supply::add_cheapest(PendingJob const& job, Choice* choice) {
  auto dear = std::exchange(choice->dear, {});
  std::stable_sort(dear.begin(), dear.end(),
                   [](auto& a, auto& b) { return a.first < b.first; });
  for (auto const& [cost, index] : dear)
    if (is_wanted(entries_[index], job, *choice)) add(index, job, choice);
}

/// Walks the kinds that fit side by side, in the order of the entries.
void Supply::choose(PendingJob const& job, Shape const& shape, Choice* choice) {
  std::vector<std::pair<std::size_t, KindIndex>> next;  // entry, its kind
  std::vector<std::size_t> at(by_kind_.size(), 0);
  auto const later = std::greater<>();
  for (KindIndex kind = 0; kind < by_kind_.size(); ++kind)
    if (shape.kinds[kind] && !by_kind_[kind].empty())
      next.emplace_back(by_kind_[kind][0], kind);
  std::make_heap(next.begin(), next.end(), later);
  auto weight = entries_.empty() ? 0 : entries_.front().weight;
  while (!next.empty() && !choice->is_done()) {
    std::pop_heap(next.begin(), next.end(), later);
    auto const [index, kind] = next.back();
    next.pop_back();
    if (++at[kind] < by_kind_[kind].size()) {
      next.emplace_back(by_kind_[kind][at[kind]], kind);
      std::push_heap(next.begin(), next.end(), later);
    }
    auto const& entry = entries_[index];
    if (entry.weight != std::exchange(weight, entry.weight))
      add_cheapest(job, choice);
    if (fits(entry, job, shape)) consider(index, job, choice);
  }
  add_cheapest(job, choice);
}

void Supply::occupy(Entry const& entry, PendingJob const& job, Gres* left,
                    Taken* taken) {
  auto& node = nodes_[entry.node];
  Taken::OfNode record{entry.node, node};
  auto const needs = needs_on(entry, job, left);
  if (!node.parted) record.places.push_back(node.name);
  std::vector<PartOfNode> parts;
  std::vector<std::string> names;
  auto const which = parts_for(entry, job, needs);
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    if (std::binary_search(which.begin(), which.end(), i)) {
      node.free = plus(node.free, node.parts[i].has);
      record.places.push_back(node.part_names[i]);
    } else {
      parts.push_back(node.parts[i]);
      names.push_back(node.part_names[i]);
    }
  }
  node.parts = std::move(parts);
  node.part_names = std::move(names);
  node.free = job.whole ? Resources{} : minus(node.free, needs);
  node.untouched = false;
  taken->nodes_.push_back(std::move(record));
  refresh(entry.node);
}

Supply::Taken Supply::take(PendingJob const& job) {
  auto const key = key_of(job);
  if (is_anywhere(job) && unmet_.count(key)) return {};
  Choice choice;
  choice.least = std::max(static_cast<std::size_t>(std::max(1, job.nodes)),
                          job.required.size());
  choice.required_left = job.required.size();
  choice.left = job.gres;
  choose(job, shape_of(job), &choice);
  Taken taken;
  if (!choice.is_done()) {
    if (is_anywhere(job)) unmet_.insert(key);
    return taken;
  }
  auto left = job.gres;
  for (auto const index : choice.entries)
    occupy(entries_[index], job, &left, &taken);
  return taken;
}

void Supply::put_back(Taken const& taken) {
  for (auto const& of : taken.nodes_) {
    nodes_[of.node] = of.before;
    refresh(of.node);
  }
}

bool kind_fits(NodeKind const& kind, PendingJob const& job) {
  // What cannot be read might be met by any node.
  auto const constraint = Constraint::parse_for_each(job.constraint);
  return any_of_list(job.partition,
                     [&](auto const& name) { return kind.is_in(name); }) &&
         covers(kind.total, job.each) &&
         contributes(kind.total.gres, job.gres) &&
         (!constraint || constraint->is_met_by(kind.features));
}

}  // namespace gleaner

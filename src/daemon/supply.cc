// SPDX-License-Identifier: Apache-2.0
/// Matching of waiting jobs with what is free or lent.
#include "daemon/supply.hh"

#include <algorithm>
#include <tuple>

namespace gleaner {
namespace {

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

}  // namespace

/// Entries chosen so far.
struct Supply::Choice {
  std::vector<std::size_t> entries;
  std::size_t least = 1;          ///< how many it must be
  std::size_t required_left = 0;  ///< nodes by name still missing
  Gres left;                      ///< of what is counted over all nodes

  bool is_done() const {
    return entries.size() >= least && required_left == 0 && left.empty();
  }
};

std::vector<std::string> Supply::Taken::nodes() const {
  std::vector<std::string> names;
  for (auto const& part : parts_) names.push_back(part.node);
  return names;
}

Supply::Supply(Snapshot const& snapshot, Places const& places)
    : snapshot_(snapshot), by_kind_(snapshot.kinds.size()) {
  for (auto const& [name, place] : places)
    if (place.hole.kind < snapshot.kinds.size())
      entries_.push_back(
          {name, place.hole.kind, snapshot.kind(place.hole.kind).total, true,
           place.hole.weight, place.lent, place.lent ? place.lease : 0});
  for (auto const& node : snapshot.shared)
    if (!places.count(node.node))
      entries_.push_back({node.node, node.kind, node.free,
                          node.free == snapshot.kind(node.kind).total,
                          node.weight});
  auto const order = [](Entry const& entry) {
    int const used_in_part = entry.untouched ? 0 : entry.free.cpus;
    return std::tuple(entry.weight, entry.lent, entry.lease, used_in_part,
                      std::string_view(entry.name));
  };
  std::sort(entries_.begin(), entries_.end(),
            [&](auto& a, auto& b) { return order(a) < order(b); });
  for (std::size_t i = 0; i < entries_.size(); ++i)
    by_kind_[entries_[i].kind].push_back(i);
}

bool Supply::kind_fits(NodeKind const& kind, PendingJob const& job,
                       Constraint const& constraint) const {
  return any_of_list(job.partition,
                     [&](auto const& name) { return kind.is_in(name); }) &&
         covers(kind.total, job.each) &&
         contributes(kind.total.gres, job.gres) &&
         constraint.is_met_by(kind.features);
}

Supply::Shape const& Supply::shape_of(PendingJob const& job) {
  auto const [found, is_new] = shapes_.try_emplace(key_of(job));
  auto& shape = found->second;
  if (!is_new) return shape;
  // What cannot be read might be met by any node.
  auto const constraint = Constraint::parse_for_each(job.constraint);
  for (auto const& kind : snapshot_.kinds)
    shape.kinds.push_back(
        kind_fits(kind, job, constraint ? *constraint : Constraint()));
  any_of_list(job.reservation, [&](auto const& name) {
    auto const at = snapshot_.reservations.find(name);
    if (at != snapshot_.reservations.end()) shape.within.push_back(&at->second);
    return false;
  });
  return shape;
}

bool Supply::fits(Entry const& entry, PendingJob const& job,
                  Shape const& shape) const {
  if (job.whole && !entry.untouched) return false;
  if (job.whole_memory &&
      entry.free.memory_mb < snapshot_.kind(entry.kind).total.memory_mb)
    return false;
  if (job.excluded.contains(entry.name)) return false;
  if (!shape.within.empty() &&
      std::none_of(shape.within.begin(), shape.within.end(),
                   [&](auto* nodes) { return nodes->contains(entry.name); }))
    return false;
  return covers(entry.free, job.each) && contributes(entry.free.gres, job.gres);
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
  while (!next.empty() && !choice->is_done()) {
    std::pop_heap(next.begin(), next.end(), later);
    auto const [index, kind] = next.back();
    next.pop_back();
    if (++at[kind] < by_kind_[kind].size()) {
      next.emplace_back(by_kind_[kind][at[kind]], kind);
      std::push_heap(next.begin(), next.end(), later);
    }
    auto const& entry = entries_[index];
    if (!fits(entry, job, shape)) continue;
    bool const required = job.required.contains(entry.name);
    bool const wanted =
        choice->entries.size() + choice->required_left < choice->least ||
        !choice->left.empty();
    if (!required && !wanted) continue;
    if (required) --choice->required_left;
    choice->entries.push_back(index);
    take_units(entry.free.gres, &choice->left);
  }
}

void Supply::occupy(Entry* entry, PendingJob const& job, Gres* left) {
  auto used = job.each;
  if (job.whole_memory) used.memory_mb = entry->free.memory_mb;
  used.gres = plus(used.gres, take_units(entry->free.gres, left));
  entry->free = job.whole ? Resources{} : minus(entry->free, used);
  entry->untouched = false;
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
  for (auto const index : choice.entries) {
    auto& entry = entries_[index];
    taken.parts_.push_back({index, entry.name, entry.free, entry.untouched});
    occupy(&entry, job, &left);
  }
  return taken;
}

void Supply::put_back(Taken const& taken) {
  for (auto const& part : taken.parts_) {
    entries_[part.entry].free = part.before;
    entries_[part.entry].untouched = part.untouched;
  }
}

}  // namespace gleaner

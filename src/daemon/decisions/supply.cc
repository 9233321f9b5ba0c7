// SPDX-License-Identifier: Apache-2.0
/// Matching of waiting jobs with what is free or lent.
#include "daemon/decisions/supply.hh"

#include <algorithm>
#include <utility>

namespace gleaner::daemon {
namespace {

/// Dear ways that are compared before one is taken.
constexpr std::size_t dear_most = 64;

bool is_anywhere(PendingJob const& job) {
  return job.required.empty() && job.excluded.empty();
}

std::size_t nodes_least(PendingJob const& job) {
  return std::max(static_cast<std::size_t>(std::max(1, job.nodes)),
                  job.required.size());
}

}  // namespace

std::vector<std::string> Supply::Taken::places() const {
  std::vector<std::string> names;
  for (auto const& node : nodes_)
    names.insert(names.end(), node.places.begin(), node.places.end());
  return names;
}

/// Goes through the entries for one task.
class Supply::Choice {
 public:
  Choice(Supply const& supply, PendingJob const& job, JobShape const& shape,
         JobOnNode const& on)
      : supply_(supply),
        all_(supply.nodes_),
        job_(job),
        shape_(shape),
        on_(on),
        is_chosen_(all_.nodes().size()),
        least_(nodes_least(job)),
        required_left_(job.required.size()),
        left_(job.gres) {}

  /// Walks the kinds that fit side by side, in the order of the entries.
  void make() {
    auto const& by_kind = all_.by_kind();
    std::vector<std::pair<std::size_t, KindIndex>> next;  // entry, its kind
    std::vector<std::size_t> at(by_kind.size(), 0);
    auto const later = std::greater<>();
    for (KindIndex kind = 0; kind < by_kind.size(); ++kind)
      if (shape_.kinds[kind] && !by_kind[kind].empty())
        next.emplace_back(by_kind[kind][0], kind);
    std::make_heap(next.begin(), next.end(), later);
    auto weight = all_.entries().empty() ? 0 : all_.entries().front().weight;
    while (!next.empty() && !is_done()) {
      std::pop_heap(next.begin(), next.end(), later);
      auto const [index, kind] = next.back();
      next.pop_back();
      if (++at[kind] < by_kind[kind].size()) {
        next.emplace_back(by_kind[kind][at[kind]], kind);
        std::push_heap(next.begin(), next.end(), later);
      }
      auto const& entry = all_.entries()[index];
      if (entry.weight != std::exchange(weight, entry.weight)) add_cheapest();
      if (on_.fits(entry, supply_.node(entry.node))) consider(entry);
    }
    add_cheapest();
  }

  bool is_done() const {
    return chosen_.size() >= least_ && required_left_ == 0 && left_.empty();
  }
  std::vector<SupplyEntry const*> const& chosen() const { return chosen_; }

 private:
  bool is_required(SupplyEntry const& entry) const {
    return !job_.required.empty() &&
           job_.required.contains(all_.nodes()[entry.node].name);
  }

  bool is_wanted(SupplyEntry const& entry) const {
    if (is_chosen_[entry.node] || is_done()) return false;
    return chosen_.size() + required_left_ < least_ || !left_.empty() ||
           is_required(entry);
  }

  /// Puts off what takes several leases back: there may be a node of the same
  /// Weight that costs one.
  void consider(SupplyEntry const& entry) {
    if (!is_wanted(entry)) return;
    if (entry.takes_back && dear_.size() < dear_most) {
      auto const cost = leases_taken(entry);
      if (cost > 1) {
        dear_.emplace_back(cost, &entry);
        return;
      }
    }
    add(entry);
  }

  std::ptrdiff_t leases_taken(SupplyEntry const& entry) const {
    auto const& node = supply_.node(entry.node);
    auto left = left_;
    auto const taken = on_.parts(entry, node, on_.needs(entry, node, &left));
    return std::count_if(taken.begin(), taken.end(),
                         [&](auto part) { return node.parts[part].lent; });
  }

  void add_cheapest() {
    auto dear = std::exchange(dear_, {});
    std::stable_sort(dear.begin(), dear.end(),
                     [](auto& a, auto& b) { return a.first < b.first; });
    for (auto const& [cost, entry] : dear)
      if (is_wanted(*entry)) add(*entry);
  }

  void add(SupplyEntry const& entry) {
    if (is_required(entry)) --required_left_;
    is_chosen_[entry.node] = true;
    chosen_.push_back(&entry);
    take_units(entry.available(supply_.node(entry.node)).gres, &left_);
  }

  Supply const& supply_;
  SupplyNodes const& all_;
  PendingJob const& job_;
  JobShape const& shape_;
  JobOnNode const& on_;
  std::vector<SupplyEntry const*> chosen_;
  std::vector<bool> is_chosen_;    ///< by node
  std::size_t least_;              ///< how many it must be
  std::size_t required_left_ = 0;  ///< nodes by name still missing
  Gres left_;                      ///< of what is counted over all nodes
  /// Ways that take several leases back, with how many: perhaps there is a
  /// cheaper one of the same Weight.
  std::vector<std::pair<std::ptrdiff_t, SupplyEntry const*>> dear_;
};

Supply::Supply(Snapshot const& snapshot, SupplyNodes const& nodes,
               JobMemory memory)
    : snapshot_(snapshot),
      nodes_(nodes),
      memory_(memory),
      is_changed_(nodes.nodes().size()) {}

SupplyNode const& Supply::node(std::size_t index) const {
  return is_changed_[index] ? changed_.at(index) : nodes_.nodes()[index];
}

JobShape const& Supply::known_shape(std::string const& key,
                                    PendingJob const& job) {
  auto const [found, is_new] = shapes_.try_emplace(key);
  if (is_new) found->second = shape_of(job, snapshot_);
  return found->second;
}

void Supply::occupy(SupplyEntry const& entry, PendingJob const& job,
                    JobOnNode const& on, Gres* left, Taken* taken) {
  auto after = node(entry.node);
  auto const needs = on.needs(entry, after, left);
  auto const which = on.parts(entry, after, needs);
  std::vector<std::string> places;
  if (!after.parted) places.push_back(after.name);
  std::vector<PartOfNode> parts;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < after.parts.size(); ++i) {
    if (std::binary_search(which.begin(), which.end(), i)) {
      after.free = plus(after.free, after.parts[i].has);
      places.push_back(after.part_names[i]);
    } else {
      parts.push_back(after.parts[i]);
      names.push_back(after.part_names[i]);
    }
  }
  after.parts = std::move(parts);
  after.part_names = std::move(names);
  after.free = job.whole ? Resources{} : minus(after.free, needs);
  after.untouched = false;
  after.add_up();
  taken->nodes_.push_back({entry.node, node(entry.node), std::move(places)});
  is_changed_[entry.node] = true;
  changed_[entry.node] = std::move(after);
}

Supply::Taken Supply::take(PendingJob const& job) {
  auto const key = shape_key(job);
  auto const least = nodes_least(job);
  Taken taken;
  if (is_anywhere(job)) {
    auto const found = unmet_.find(key);
    if (found != unmet_.end() && least >= found->second) return taken;
  }
  auto const& shape = known_shape(key, job);
  JobOnNode const on(job, shape, snapshot_.kinds, memory_);
  Choice choice(*this, job, shape, on);
  choice.make();
  if (!choice.is_done()) {
    // More nodes than there are cannot be had, nor more than did not suffice.
    if (is_anywhere(job))
      unmet_[key] = std::min(least, choice.chosen().size() + 1);
    return taken;
  }
  auto left = job.gres;
  for (auto const* entry : choice.chosen())
    occupy(*entry, job, on, &left, &taken);
  return taken;
}

void Supply::put_back(Taken const& taken) {
  for (auto const& of : taken.nodes_) changed_[of.node] = of.before;
}

}  // namespace gleaner::daemon

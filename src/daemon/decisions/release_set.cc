// SPDX-License-Identifier: Apache-2.0
/// The smallest set that suffices.
#include "daemon/decisions/release_set.hh"

#include <algorithm>
#include <limits>
#include <tuple>

namespace gleaner::daemon {
namespace {

using Indices = std::vector<std::size_t>;

/// Parts that have the same, oldest lease first.
struct Alike {
  Resources has;
  bool lent = false;
  Indices parts;
};

/// A lease that is only offered is younger than all that have begun.
JobId age(PartOfNode const& part) {
  return part.lease ? part.lease : std::numeric_limits<JobId>::max();
}

std::vector<Alike> grouped(std::vector<PartOfNode> const& parts) {
  std::vector<Alike> groups;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const known =
        std::find_if(groups.begin(), groups.end(), [&](auto const& g) {
          return g.has == parts[i].has && g.lent == parts[i].lent;
        });
    if (known == groups.end())
      groups.push_back({parts[i].has, parts[i].lent, {i}});
    else
      known->parts.push_back(i);
  }
  for (auto& g : groups)
    std::stable_sort(g.parts.begin(), g.parts.end(), [&](auto a, auto b) {
      return age(parts[a]) < age(parts[b]);
    });
  return groups;
}

/// Tries all ways to take so many of each group.
class Search {
 public:
  Search(std::vector<PartOfNode> const& parts, Resources const& needed)
      : parts_(parts), groups_(grouped(parts)), needed_(needed) {}

  std::optional<Indices> best(Resources const& free) {
    extend(free, 0, {});
    if (best_) std::sort(best_->begin(), best_->end());
    return best_;
  }

 private:
  std::size_t leases_in(Indices const& chosen) const {
    return static_cast<std::size_t>(std::count_if(
        chosen.begin(), chosen.end(), [&](auto i) { return parts_[i].lent; }));
  }

  auto rank(Indices const& chosen) const {
    std::int64_t gpus = 0;
    JobId youngest = 0;
    for (auto const i : chosen) {
      gpus += count_of(parts_[i].has.gres, "gpu");
      if (parts_[i].lent) youngest = std::max(youngest, age(parts_[i]));
    }
    return std::tuple(leases_in(chosen), chosen.size(), gpus, youngest);
  }

  void extend(Resources const& have, std::size_t at, Indices chosen) {
    if (best_ && leases_in(chosen) > leases_in(*best_)) return;
    if (covers(have, needed_)) {
      if (!best_ || rank(chosen) < rank(*best_)) best_ = std::move(chosen);
      return;
    }
    if (at == groups_.size()) return;
    auto const& alike = groups_[at];
    extend(have, at + 1, chosen);
    auto with = have;
    for (auto const part : alike.parts) {
      chosen.push_back(part);
      with = plus(with, alike.has);
      extend(with, at + 1, chosen);
    }
  }

  std::vector<PartOfNode> const& parts_;
  std::vector<Alike> groups_;
  Resources const& needed_;
  std::optional<Indices> best_;
};

}  // namespace

std::optional<std::vector<std::size_t>> release_set(
    Resources const& free, std::vector<PartOfNode> const& parts,
    Resources const& needed) {
  return Search(parts, needed).best(free);
}

}  // namespace gleaner::daemon

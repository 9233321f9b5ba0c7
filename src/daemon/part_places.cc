// SPDX-License-Identifier: Apache-2.0
/// From what is free of nodes, and leased, to places.
#include "daemon/part_places.hh"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/place.hh"
#include "daemon/cut.hh"
#include "daemon/job_shape.hh"
#include "daemon/part_ends.hh"

namespace gleaner {
namespace {

/// Different needs of waiting jobs that are looked at for each kind of node:
/// those in front of the queue.
constexpr std::size_t needs_most = 8;

using LeasesOfNode = std::unordered_map<std::string, std::vector<Lease const*>>;

LeasesOfNode part_leases(LeaseTable const& leases) {
  LeasesOfNode result;
  for (auto const& [nonce, lease] : leases.all())
    if (lease.part) result[node_of(lease.node)].push_back(&lease);
  return result;
}

/// What trainings ask of each node, in order of arrival.
std::vector<Resources> asked_by(Roster const& roster) {
  std::vector<TrainerEntry const*> trainers;
  for (auto const& [job, trainer] : roster.all())
    if (trainer.present) trainers.push_back(&trainer);
  std::stable_sort(trainers.begin(), trainers.end(), [](auto* a, auto* b) {
    return a->base.submit_s < b->base.submit_s;
  });
  std::vector<Resources> asked;
  for (auto const* trainer : trainers) asked.push_back(trainer->ask.each);
  return asked;
}

/// What the jobs in front of the queue need of a node of each kind.
class Waiting {
 public:
  explicit Waiting(Snapshot const& snapshot)
      : snapshot_(snapshot), by_kind_(snapshot.kinds.size()) {}

  std::vector<NodeUse> const& on(KindIndex kind) {
    auto& known = by_kind_[kind];
    if (!known) known = needs_on(snapshot_.kinds[kind]);
    return *known;
  }

 private:
  std::vector<NodeUse> needs_on(NodeKind const& kind) const {
    std::vector<NodeUse> needs;
    for (auto const& job : snapshot_.pending) {
      if (needs.size() == needs_most) break;
      NodeUse const need{job.job, job.each, job.whole || !job.gres.empty(), 0};
      bool const known =
          std::any_of(needs.begin(), needs.end(), [&](auto const& other) {
            return other.each == need.each && other.whole == need.whole;
          });
      if (!known && kind_fits(kind, job)) needs.push_back(need);
    }
    return needs;
  }

  Snapshot const& snapshot_;
  std::vector<std::optional<std::vector<NodeUse>>> by_kind_;
};

/// One node's places.
class PartedNode {
 public:
  PartedNode(SharedNode const& node, NodeKind const& kind,
             std::vector<Lease const*> const& leases)
      : node_(node), kind_(kind), free_(node.free) {
    for (auto const* lease : leases) add(*lease);
  }

  void cut_rest(Resources const& asked) {
    for (auto& part : cut(kind_, free_, taken_, asked)) {
      free_ = minus(free_, part.has);
      names_.push_back(to_string(PlaceName{node_.node, part.index}));
      parts_.push_back({std::move(part.has), false, 0});
    }
  }

  void add_to(Places* places, std::vector<NodeUse> const& waiting) const {
    auto const ends = part_ends(node_, free_, parts_, waiting);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      auto& place = (*places)[names_[i]];
      place.hole = {names_[i],     node_.kind,  parts_[i].lent,
                    ends[i].end_s, ends[i].job, node_.weight};
      place.part = parts_[i].has;
    }
  }

 private:
  /// A part that is offered and not seen yet is still among what is free.
  void add(Lease const& lease) {
    auto const place = parse_place(lease.node);
    if (!place || !place->part) return;
    if (!lease.seen) free_ = minus(free_, *lease.part);
    if (!taken_.insert(*place->part).second) return;
    names_.push_back(lease.node);
    parts_.push_back({*lease.part, true, lease.job});
  }

  SharedNode const& node_;
  NodeKind const& kind_;
  Resources free_;  ///< that no part has
  std::set<int> taken_;
  std::vector<std::string> names_;
  std::vector<PartOfNode> parts_;
};

}  // namespace

Places part_places(Snapshot const& snapshot, LeaseTable const& leases,
                   Roster const& roster) {
  Places places;
  if (std::none_of(snapshot.shared.begin(), snapshot.shared.end(),
                   [](auto const& node) { return node.parted; }))
    return places;
  auto const of_node = part_leases(leases);
  std::vector<Lease const*> const none;
  PartSizes const sizes(snapshot.kinds, asked_by(roster));
  Waiting waiting(snapshot);
  std::set<std::string_view> offered_whole;
  for (auto const& [nonce, lease] : leases.all())
    if (!lease.part) offered_whole.insert(lease.node);
  for (auto const& node : snapshot.shared) {
    if (!node.parted) continue;
    auto const found = of_node.find(node.node);
    PartedNode parted(node, snapshot.kinds[node.kind],
                      found == of_node.end() ? none : found->second);
    if (!offered_whole.count(node.node))
      parted.cut_rest(sizes.on(node.node, node.kind));
    parted.add_to(&places, waiting.on(node.kind));
  }
  return places;
}

}  // namespace gleaner

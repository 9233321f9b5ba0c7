// SPDX-License-Identifier: Apache-2.0
/// From what is free of nodes, and leased, to places.
#include "daemon/decisions/part_places.hh"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/place.hh"
#include "daemon/decisions/cut.hh"
#include "daemon/decisions/job_shape.hh"
#include "daemon/decisions/part_ends.hh"

namespace gleaner::daemon {
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

/// What the jobs in front of the queue need of a node of the kind.
std::vector<NodeUse> waiting_on(NodeKind const& kind,
                                std::vector<PendingJob> const& pending) {
  std::vector<NodeUse> needs;
  for (auto const& job : pending) {
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

  std::vector<Places::value_type> places(
      std::vector<NodeUse> const& waiting) const {
    auto const ends = part_ends(node_, free_, parts_, waiting);
    std::vector<Places::value_type> places;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Place place;
      place.hole = {names_[i],     node_.kind,  parts_[i].lent,
                    ends[i].end_s, ends[i].job, node_.weight};
      place.part = parts_[i].has;
      places.emplace_back(names_[i], std::move(place));
    }
    return places;
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

/// What was made of other kinds, or for other jobs, counts no more.
void PartPlaces::set_kinds(Snapshot const& snapshot) {
  std::vector<OfKind> kinds;
  for (auto const& kind : snapshot.kinds) {
    kinds.push_back({kind.total, kind.parts_max, {}});
    if (kind.parts_max > 0)
      kinds.back().waiting = waiting_on(kind, snapshot.pending);
  }
  if (kinds == kinds_) return;
  kinds_ = std::move(kinds);
  known_.clear();
}

PartPlaces::Known const& PartPlaces::of_node(
    SharedNode const& node, NodeKind const& kind,
    std::vector<Lease const*> const& leases, Resources const* asked) {
  std::vector<LeasedPart> leased;
  for (auto const* lease : leases)
    leased.push_back({lease->node, *lease->part, lease->seen, lease->job});
  auto const [found, is_new] = known_.try_emplace(node.node);
  auto& known = found->second;
  known.is_there = true;
  bool const same_ask =
      asked ? known.of.asked == *asked : !known.of.asked.has_value();
  if (!is_new && same_ask && known.of.leases == leased && known.of.node == node)
    return known;
  PartedNode parted(node, kind, leases);
  if (asked) parted.cut_rest(*asked);
  known.places = parted.places(kinds_[node.kind].waiting);
  known.of = {node, std::move(leased),
              asked ? std::optional(*asked) : std::nullopt};
  return known;
}

Places PartPlaces::make(Snapshot const& snapshot, LeaseTable const& leases,
                        Roster const& roster) {
  Places places;
  if (std::none_of(snapshot.shared.begin(), snapshot.shared.end(),
                   [](auto const& node) { return node.parted; })) {
    known_.clear();
    return places;
  }
  set_kinds(snapshot);
  auto const of_leases = part_leases(leases);
  std::vector<Lease const*> const none;
  PartSizes const sizes(snapshot.kinds, asked_by(roster));
  std::set<std::string_view> offered_whole;
  for (auto const& [nonce, lease] : leases.all())
    if (!lease.part) offered_whole.insert(lease.node);
  for (auto& [name, known] : known_) known.is_there = false;
  for (auto const& node : snapshot.shared) {
    if (!node.parted) continue;
    auto const found = of_leases.find(node.node);
    auto const* asked = offered_whole.count(node.node)
                            ? nullptr
                            : &sizes.on(node.node, node.kind);
    auto const& known =
        of_node(node, snapshot.kinds[node.kind],
                found == of_leases.end() ? none : found->second, asked);
    for (auto const& place : known.places) places.insert(places.end(), place);
  }
  std::erase_if(known_, [](auto& entry) { return !entry.second.is_there; });
  return places;
}

}  // namespace gleaner::daemon

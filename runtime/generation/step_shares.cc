// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/step_shares.hh"

#include <algorithm>

#include "core/contract.hh"

namespace gleaner::generation {
namespace {

bool contains(std::vector<msg::MemberId> const& ids, msg::MemberId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// What a member has of a step: first its own, then what it got by losses.
struct Part {
  msg::MemberId member = 0;
  std::vector<Positions> pieces;
  bool gone = false;
};

/// The parts of those in `lost` go to the members that are left.
void share_out(std::vector<Part>& parts,
               std::vector<msg::MemberId> const& lost) {
  Positions open;
  std::vector<Part*> left;
  for (auto& part : parts) {
    if (!part.gone && contains(lost, part.member)) {
      for (auto const& piece : part.pieces) open = merged(open, piece);
      part.pieces.clear();
      part.gone = true;
    }
    if (!part.gone) left.push_back(&part);
  }
  for (std::size_t i = 0; i < left.size(); ++i)
    left[i]->pieces.push_back(share_of(open, i, left.size()));
}

/// A member's pieces as shares.  Empty ones are left out, but the first of all.
std::vector<Share> as_shares(std::vector<Positions> const& pieces,
                             Positions const& taken, std::uint32_t shards) {
  std::vector<Share> shares;
  for (auto const& piece : pieces) {
    if (shards == 0) {
      shares.push_back({piece, 0});
      continue;
    }
    for (auto const& range : piece)
      for (auto shard = range.first; shard < range.last; ++shard)
        shares.push_back({share_of(taken, shard, shards),
                          static_cast<std::uint32_t>(shard)});
    // With fewer shards than members some have none of their own.
    if (shares.empty()) shares.emplace_back();
  }
  shares.erase(std::remove_if(
                   shares.begin() + 1, shares.end(),
                   [](Share const& share) { return share.positions.empty(); }),
               shares.end());
  return shares;
}

}  // namespace

StepShares shares_of_step(msg::StepPlan const& plan, Positions const& taken,
                          ShareRules const& rules, msg::MemberId self) {
  EXPECT(rules.shards == 0 || rules.on_loss == OnLoss::recompute, rules.shards);
  // What is dealt out: positions, or whole shards.
  auto const all = rules.shards ? Positions{{0, rules.shards}} : taken;
  std::vector<Part> parts;
  for (std::size_t rank = 0; rank < plan.members.size(); ++rank)
    parts.push_back({plan.members[rank],
                     {share_of(all, rank, plan.members.size())},
                     false});
  StepShares step;
  step.committed = taken;
  if (rules.on_loss == OnLoss::recompute) {
    for (auto const& lost : plan.gone) share_out(parts, lost);
  } else {
    step.committed.clear();
    for (auto const& part : parts) {
      bool const gone = std::any_of(
          plan.gone.begin(), plan.gone.end(),
          [&](auto const& lost) { return contains(lost, part.member); });
      auto& to = gone ? step.handed_back : step.committed;
      to = merged(to, part.pieces.front());
    }
  }
  for (auto const& part : parts)
    if (part.member == self)
      step.mine = as_shares(part.pieces, taken, rules.shards);
  if (step.mine.empty()) step.mine.emplace_back();
  return step;
}

Share next_part(std::vector<Share> const& shares, Progress& progress,
                std::uint64_t micro_batch_max) {
  EXPECT(progress.shares < shares.size(), progress.shares, shares.size());
  auto part = shares[progress.shares];
  auto const rest = without_first(part.positions, progress.samples);
  auto const n = count(rest);
  auto const max =
      std::max<std::uint64_t>(1, micro_batch_max ? micro_batch_max : n);
  auto const parts = std::max<std::uint64_t>(1, (n + max - 1) / max);
  part.positions = share_of(rest, 0, parts);
  if (parts == 1)
    progress = {progress.shares + 1, 0};
  else
    progress.samples += count(part.positions);
  return part;
}

}  // namespace gleaner::generation

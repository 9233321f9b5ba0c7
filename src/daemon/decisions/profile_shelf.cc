// SPDX-License-Identifier: Apache-2.0
/// A map with a bound.
#include "daemon/decisions/profile_shelf.hh"

#include <algorithm>
#include <utility>

namespace gleaner::daemon {
namespace {

/// Of trainings that should be alike.
bool is_of_one_family(ProfileKey const& a, ProfileKey const& b) {
  return a.uid == b.uid && a.family == b.family &&
         a.lease_template == b.lease_template;
}

}  // namespace

void ProfileShelf::load(std::vector<ProfileRow> rows) {
  for (auto& row : rows)
    rows_[std::move(row.key)] = {std::move(row.learned), row.used_s, false};
  make_room();
}

profile::Learned ProfileShelf::taught(ProfileKey const& key,
                                      IsAlike const& is_alike, TimeS now) {
  profile::Learned result;
  auto first = key;
  first.job = 0;
  for (auto row = rows_.lower_bound(first); row != rows_.end(); ++row) {
    if (!is_of_one_family(row->first, key)) break;
    if (key.job != 0 && row->first.job == key.job) continue;
    if (!is_alike(row->second.learned)) continue;
    row->second.used_s = now;
    result = profile::merged(result, row->second.learned);
  }
  return result;
}

profile::Learned ProfileShelf::own(ProfileKey const& key) const {
  auto const found = rows_.find(key);
  return found == rows_.end() ? profile::Learned{} : found->second.learned;
}

void ProfileShelf::put(ProfileKey const& key, profile::Learned learned,
                       TimeS now) {
  auto& entry = rows_[key];
  if (entry.learned == learned) return;
  entry = {std::move(learned), now, true};
  make_room();
}

void ProfileShelf::fold(ProfileKey const& key, IsAlike const& is_alike,
                        TimeS now) {
  auto const found = rows_.find(key);
  if (found == rows_.end() || key.job == 0) return;
  auto const learned = std::move(found->second.learned);
  rows_.erase(found);
  gone_.push_back(key);
  auto all = key;
  all.job = 0;
  auto const known = own(all);
  put(all, is_alike(known) ? profile::merged(known, learned) : learned, now);
}

void ProfileShelf::fold_all_but(std::set<JobId> const& running, TimeS now) {
  std::vector<ProfileKey> over;
  for (auto const& [key, entry] : rows_)
    if (key.job != 0 && !running.count(key.job)) over.push_back(key);
  for (auto const& key : over)
    fold(
        key, [](profile::Learned const&) { return true; }, now);
}

std::vector<ProfileRow> ProfileShelf::take_changed() {
  std::vector<ProfileRow> changed;
  for (auto& key : std::exchange(gone_, {}))
    changed.push_back({std::move(key), {}, 0});
  for (auto& [key, entry] : rows_)
    if (std::exchange(entry.is_changed, false))
      changed.push_back({key, entry.learned, entry.used_s});
  return changed;
}

/// A tenth at once, since each time all are looked at.
void ProfileShelf::make_room() {
  if (rows_.size() <= rows_max) return;
  std::vector<TimeS> used;
  for (auto const& [key, entry] : rows_) used.push_back(entry.used_s);
  auto const surplus = rows_.size() - rows_max + rows_max / 10;
  std::nth_element(used.begin(),
                   used.begin() + static_cast<std::ptrdiff_t>(surplus - 1),
                   used.end());
  auto const limit = used[surplus - 1];
  auto left = surplus;
  std::erase_if(rows_, [&](auto const& row) {
    bool const goes = row.second.used_s <= limit && left > 0;
    if (!goes) return false;
    --left;
    gone_.push_back(row.first);
    return true;
  });
}

}  // namespace gleaner::daemon

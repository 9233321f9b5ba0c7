// SPDX-License-Identifier: Apache-2.0
/// What have earlier trainings taught about the next one like them?
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/cluster.hh"
#include "profile/learned.hh"

namespace gleaner::daemon {

/// One kind of training of one user: what a user reports counts for his own
/// trainings only.
struct ProfileKey {
  Uid uid = 0;
  std::string family;
  std::string lease_template;  ///< what nodes it asks for
  /// 0: all that have ended, together; else one that runs, so that a restarted
  /// gleanerd goes on with what it knew.
  JobId job = 0;

  auto operator<=>(ProfileKey const&) const = default;
};

struct ProfileRow {
  ProfileKey key;
  profile::Learned learned;  ///< nothing: the row is gone
  TimeS used_s = 0;          ///< it was last of use
};

class ProfileShelf {
 public:
  /// More are not kept: those that were of no use for the longest time go.
  static constexpr std::size_t rows_max = 10'000;

  /// What was kept from before.
  void load(std::vector<ProfileRow> rows);

  /// All that ended trainings and others than `key.job` have taught, of those
  /// that are alike; no sizes where that is nothing.
  using IsAlike = std::function<bool(profile::Learned const&)>;
  profile::Learned taught(ProfileKey const& key, IsAlike const& is_alike,
                          TimeS now);

  /// By this job before gleanerd was started.
  profile::Learned own(ProfileKey const& key) const;

  /// By the job so far, in place of what was known of it.
  void put(ProfileKey const& key, profile::Learned learned, TimeS now);

  /// The job is over: what it taught joins what others did, or takes its place
  /// where they are not alike.
  void fold(ProfileKey const& key, IsAlike const& is_alike, TimeS now);

  /// All jobs that are not among these are over.  Whether they are alike is
  /// not known any more: later ones will tell.
  void fold_all_but(std::set<JobId> const& running, TimeS now);

  /// What has changed since the last call, to be kept on disk.
  std::vector<ProfileRow> take_changed();

  std::size_t size() const { return rows_.size(); }

 private:
  struct Entry {
    profile::Learned learned;
    TimeS used_s = 0;
    bool is_changed = false;
  };
  void make_room();

  std::map<ProfileKey, Entry> rows_;
  std::vector<ProfileKey> gone_;  ///< since they were last told
};

}  // namespace gleaner::daemon

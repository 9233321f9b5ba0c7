// SPDX-License-Identifier: Apache-2.0
/// Does the data plane of the generation in use work, and who leaves if not?
///
/// After a loss the members' planes must connect; in use they must not break.
/// When a plane breaks, most likely a member died, and its loss is known in a
/// moment.  When nobody died, the members connect again, up to twice; then the
/// training goes on without one of them.
#pragma once

#include <optional>
#include <string>

#include "runtime/generation/member_ids.hh"

namespace gleaner::generation {

class PlaneWatch {
 public:
  struct Limits {
    double connect_timeout_s = 0;  ///< for planes after a loss
    double prepare_timeout_s = 0;  ///< for planes of a planned change
    double failure_timeout_s = 0;  ///< for a dead member to be noticed
  };
  /// The plane must be connected again.
  struct Fault {
    std::string why;
    std::optional<msg::MemberId> victim;  ///< without this member
  };

  explicit PlaneWatch(Limits limits) : limits_(limits) {}

  /// A planned generation begins: its planes are connected already.
  void begins_connected(double now, MemberIds const& members);
  /// After a loss: its planes connect from now on.
  void begins_connecting(double now);
  /// True: with this one all of `members` are connected.
  bool connected(msg::MemberId member, MemberIds const& members);
  /// A plane was connected beside the one in use, in this time.  One that takes
  /// long when all is well, such as NCCL's over many nodes, takes as long after
  /// a loss.
  void connected_beside(double took_s);

  /// The plane broke: as `by` says; 0: as nobody says.  Counts once.
  void broke(double now, msg::MemberId by, std::string why);
  bool is_broken() const { return broken_.has_value(); }
  void forget_break() { broken_.reset(); }
  /// A step is stable: whatever failed before, the plane works.
  void works() { failures_ = 0; }
  /// The members could not be connected, or not to fewer.  True: that has
  /// happened too often.
  bool failed();

  /// Every member is connected, and no plane broke.
  bool is_in_order(MemberIds const& members) const {
    return !broken_ && connected_.size() >= members.size();
  }
  /// Now, in a generation of these members; told once.
  std::optional<Fault> take_fault(double now, MemberIds const& members);

 private:
  struct Break {
    double since_s = 0;
    msg::MemberId by = 0;
    std::string why;
  };
  double connect_limit_s() const;

  Limits const limits_;
  MemberSet connected_;  ///< of the generation in use
  double since_s_ = 0;   ///< when that began
  double beside_s_max_ = 0;
  std::optional<Break> broken_;
  int failures_ = 0;  ///< since the last stable step
};

}  // namespace gleaner::generation

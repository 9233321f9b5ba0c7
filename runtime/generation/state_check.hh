// SPDX-License-Identifier: Apache-2.0
/// Do all members have the same state after a switch?
///
/// Each member of a new generation sends digests of the state that it begins
/// with, beside its first step.  Nobody waits for the answer.  A member whose
/// state differs from that of most others is replaced, and the event log says
/// so.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/generation/member_ids.hh"

namespace gleaner::generation {

/// What the digests of a whole generation say.
struct StateVerdict {
  struct Differing {
    msg::MemberId member = 0;
    std::string how;  ///< the first difference, in words
  };
  msg::Generation generation = 0;
  msg::Step step = 0;             ///< of the members that agree
  std::size_t members = 0;        ///< compared
  std::size_t digests = 0;        ///< of each
  std::vector<Differing> differ;  ///< from most; in rank order
};

class StateCheck {
 public:
  /// `from` is one of `ranks`, the members of the digest's generation.  Returns
  /// the verdict once all have sent theirs.  Members agree with most; in doubt
  /// with the first in rank.  Digests of another generation replace those kept.
  std::optional<StateVerdict> add(MemberIds const& ranks, msg::MemberId from,
                                  msg::StateDigest const& digest);

 private:
  msg::Generation generation_ = 0;  ///< of what is kept
  std::map<msg::MemberId, msg::StateDigest> digests_;
};

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// Who is let in next, and how many together?
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "runtime/generation/member_ids.hh"
#include "runtime/generation/member_table.hh"

namespace gleaner::generation {

class Admission {
 public:
  struct Limits {
    /// How long the first ready member waits for others that are loading.
    double batch_s = 0;
    /// How long the ready members of a node wait for the others there.
    double node_s = 0;
  };
  explicit Admission(Limits limits) : limits_(limits) {}

  /// Loaded members on nodes that stay, by node; none while it is worth
  /// waiting for more.  A node joins with all its members, unless one keeps the
  /// others waiting.
  MemberIds ready(MemberTable const& table, double now);
  /// Those that were ready are let in, or nobody is to be: the next wait for
  /// others begins with the next that is ready.
  void end_wait() { ready_since_s_.reset(); }

  /// As many of `ids` as are let in together.
  MemberIds first_of(MemberIds ids) const;
  /// A generation with these newcomers could not be prepared.  A plane is
  /// refused in the same words by all of its members, whichever of them does
  /// not fit: so half as many are tried, until it is known which.  True: half
  /// as many are tried next; `is_enough` says whether that would do.
  template <class IsEnough>
  bool will_try_fewer(MemberIds const& newcomers, IsEnough is_enough) {
    if (newcomers.size() < 2 || ++failures_ < attempts) return false;
    auto const half = newcomers.size() / 2;
    if (!is_enough(MemberIds(newcomers.begin(),
                             newcomers.begin() + std::ptrdiff_t(half))))
      return false;
    together_max_ = half;
    return true;
  }
  /// A generation came about: whatever failed before, all may come.
  void forget_failures();

 private:
  static constexpr int attempts = 2;  ///< before fewer are let in together
  static constexpr auto no_limit = std::numeric_limits<std::size_t>::max();

  Limits const limits_;
  std::optional<double> ready_since_s_;
  int failures_ = 0;  ///< since the last change
  std::size_t together_max_ = no_limit;
};

}  // namespace gleaner::generation

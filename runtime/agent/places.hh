// SPDX-License-Identifier: Apache-2.0
/// Which share of its node does a member have: the first, the second?
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>

#include "proto/runtime_messages.hh"

namespace gleaner::agent {

/// A member keeps its place until it ends; the one that replaces it gets the
/// same, and so the same GPU and cores.
class Places {
 public:
  /// The least place that is free.
  std::size_t take(msg::MemberId member) {
    std::size_t place = 0;
    for (bool taken = true; taken; place += taken)
      taken = std::any_of(by_member_.begin(), by_member_.end(),
                          [&](auto const& at) { return at.second == place; });
    by_member_[member] = place;
    count_ = std::max(count_, place + 1);
    return place;
  }
  void leave(msg::MemberId member) { by_member_.erase(member); }

  /// Parts into which the node is divided: the most members there were at once.
  std::size_t count() const { return count_; }

 private:
  std::map<msg::MemberId, std::size_t> by_member_;
  std::size_t count_ = 0;
};

}  // namespace gleaner::agent

// SPDX-License-Identifier: Apache-2.0
/// How are several members named: in rank order, or as a set?
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "proto/runtime_messages.hh"

namespace gleaner::generation {

using MemberIds = std::vector<msg::MemberId>;
using MemberSet = std::set<msg::MemberId>;

inline bool contains(MemberIds const& ids, msg::MemberId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace gleaner::generation

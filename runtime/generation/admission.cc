// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/admission.hh"

#include <algorithm>
#include <set>
#include <string>

namespace gleaner::generation {

MemberIds Admission::ready(MemberTable const& table, double now) {
  std::set<std::string> loading;
  MemberIds ready;
  for (auto const& [id, member] : table.all()) {
    if (table.is_leaving(id)) continue;
    if (member.phase == Phase::announced || member.phase == Phase::connected)
      loading.insert(member.node);
    if (member.phase == Phase::loaded) ready.push_back(id);
  }
  std::erase_if(ready, [&](msg::MemberId id) {
    auto const& member = table.at(id);
    return loading.count(member.node) && now - member.since_s < limits_.node_s;
  });
  if (ready.empty()) {
    end_wait();
    return ready;
  }
  if (!ready_since_s_) ready_since_s_ = now;
  if (!loading.empty() && now - *ready_since_s_ < limits_.batch_s) return {};
  std::stable_sort(ready.begin(), ready.end(), [&](auto a, auto b) {
    return table.at(a).node < table.at(b).node;
  });
  return ready;
}

MemberIds Admission::first_of(MemberIds ids) const {
  if (ids.size() > together_max_) ids.resize(together_max_);
  return ids;
}

void Admission::forget_failures() {
  failures_ = 0;
  together_max_ = no_limit;
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// The part of journal.hh that needs no database.
#include <algorithm>

#include "cli/report/journal.hh"

namespace gleaner::cli {

void LeaseLedger::event(double t_s, std::string const& event,
                        nlohmann::json const& data) {
  if (event == "lease_held") {
    Lease lease;
    lease.job = data.at("job").get<JobId>();
    lease.trainer = data.at("trainer").get<JobId>();
    lease.node = data.at("node").get<std::string>();
    lease.held = {t_s, t_s};
    // Said again after a restart of gleanerd: the first one counts.
    held_.insert({lease.job, lease});
  } else if (event == "lease_ended") {
    auto const it = held_.find(data.at("job").get<JobId>());
    if (it == held_.end()) return;
    it->second.held.to_s = t_s;
    it->second.cause = data.value("cause", "");
    ended_.push_back(std::move(it->second));
    held_.erase(it);
  }
}

std::vector<Lease> LeaseLedger::leases(double now_s) const {
  auto all = ended_;
  for (auto const& [job, lease] : held_) {
    all.push_back(lease);
    all.back().held.to_s = std::max(now_s, lease.held.from_s);
  }
  std::stable_sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
    return a.held.from_s < b.held.from_s;
  });
  return all;
}

}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
/// The leases that gleanerd's journal tells of.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/report/history.hh"
#include "core/result.hh"

namespace gleaner::cli {

/// Pairs the beginning and the end of each lease.
class LeaseLedger {
 public:
  /// One row of the journal.  Events that are not about leases are passed
  /// over, as is the end of a lease whose beginning was not seen.
  void event(double t_s, std::string const& event, nlohmann::json const& data);

  /// Every lease; those still held end at `now_s`.  In order of beginning.
  std::vector<Lease> leases(double now_s) const;

 private:
  std::map<JobId, Lease> held_;
  std::vector<Lease> ended_;
};

/// Call `visit` for each row of STATE_DIR/journal.sqlite, in order.  gleanerd
/// may be writing to it.  Fails with io, naming the path, when it is not there
/// or is no journal.
Result<void> for_each_event(
    std::string const& path,
    std::function<void(double t_s, std::string const& event,
                       nlohmann::json const& data)> const& visit);

/// Read STATE_DIR/journal.sqlite; leases still held end at `now_s`.  Fails as
/// for_each_event() does.
Result<std::vector<Lease>> read_journal(std::string const& path, double now_s);

}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
/// What could have been lent while gleanerd only observed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gleaner::cli {

/// Adds up the journal's events "observed": what one says holds until the next
/// one, or until gleanerd stops, is reconfigured or is given an order. gleanerd
/// writes at most one each 10 s, so brief changes are not seen.
class ObservedLedger {
 public:
  /// Count what was observed between these times; 0: from or to any time.
  ObservedLedger(double from_s, double to_s) : from_s_(from_s), to_s_(to_s) {}

  /// One row of the journal, in order.
  void event(double t_s, std::string const& event, nlohmann::json const& data);

  double observed_s() const { return observed_s_; }
  double lendable_node_s() const { return lendable_node_s_; }
  double would_lend_node_s() const { return would_lend_node_s_; }

  /// A line for a person; "" when nothing was observed.
  std::string text() const;

 private:
  double from_s_, to_s_;
  double since_s_ = 0;  ///< of what holds; 0: nothing does
  double lendable_ = 0, would_lend_ = 0;
  double observed_s_ = 0, lendable_node_s_ = 0, would_lend_node_s_ = 0;
};

}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
/// How a training is getting on, as `gleaner status` shows it.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "proto/daemon_messages.hh"
#include "proto/runtime_messages.hh"
#include "runtime/generation/membership.hh"

namespace gleaner::coordinator {

/// Made from the records of Membership; reads no clock.
class ProgressMeter {
 public:
  /// A record of events.jsonl; of interest are "step", "log",
  /// "rollback" and "generation".
  void take(double now, generation::membership::Record const& record);

  /// A member's message; of interest is Loaded.
  void take(msg::FromMember const& message);

  msg::Progress report(double now,
                       generation::membership::Summary const& summary) const;

 private:
  struct Point {
    double time_s;
    std::uint64_t samples;
  };
  std::deque<Point> recent_;  ///< of the last seconds, oldest first
  std::optional<double> loss_;
  std::uint64_t samples_total_ = 0;  ///< of all passes; 0: unknown
};

}  // namespace gleaner::coordinator

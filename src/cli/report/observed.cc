// SPDX-License-Identifier: Apache-2.0
#include "cli/report/observed.hh"

#include <algorithm>

#include "cli/text_table.hh"

namespace gleaner::cli {
namespace {

/// "3 min", "2.5 h"
std::string duration(double s) {
  return s < 7200 ? fixed(s / 60, 0) + " min" : fixed(s / 3600, 1) + " h";
}

bool ends_observing(std::string const& event) {
  return event == "started" || event == "stopped" || event == "order" ||
         event == "reconfigured";
}

}  // namespace

void ObservedLedger::event(double t_s, std::string const& event,
                           nlohmann::json const& data) {
  if (since_s_ > 0) {
    double const until_s = to_s_ > 0 ? std::min(t_s, to_s_) : t_s;
    double const held_s = std::max(0.0, until_s - std::max(since_s_, from_s_));
    observed_s_ += held_s;
    lendable_node_s_ += held_s * lendable_;
    would_lend_node_s_ += held_s * would_lend_;
    since_s_ = ends_observing(event) ? 0 : t_s;
  }
  if (event != "observed") return;
  since_s_ = t_s;
  lendable_ = data.value("lendable", 0.0);
  would_lend_ = data.value("would_lend", 0.0);
}

std::string ObservedLedger::text() const {
  if (observed_s_ <= 0) return "";
  auto const node_hours = [](double node_s) { return fixed(node_s / 3600, 1); };
  return "mode observe      " + duration(observed_s_) + ": " +
         node_hours(lendable_node_s_) +
         " node-hours could have been lent, on average " +
         fixed(lendable_node_s_ / observed_s_, 1) + " nodes; " +
         node_hours(would_lend_node_s_) +
         " would have been, to the trainings there were\n";
}

}  // namespace gleaner::cli

// SPDX-License-Identifier: Apache-2.0
/// Events of the same moment are one change.
#include "sim/recorded_holes.hh"

#include <algorithm>
#include <random>

#include "core/contract.hh"

namespace gleaner::sim {

RecordedHoles::RecordedHoles(IdleEvents recorded, RecordedHolesOptions options)
    : recorded_(std::move(recorded)),
      options_(options),
      leave_s_(recorded_.events.size()),
      hole_end_s_(recorded_.nodes.size()) {
  auto& events = recorded_.events;
  if (options_.seed != 0) {
    std::mt19937_64 random(options_.seed);
    for (auto from = events.begin(); from != events.end();) {
      auto const to = std::find_if(from, events.end(), [&](auto const& event) {
        return event.t_s != from->t_s;
      });
      std::shuffle(from, to, random);
      from = to;
    }
  }
  std::vector<std::optional<double>> leaves(recorded_.nodes.size());
  for (auto i = events.size(); i-- > 0;) {
    auto& leave_s = leaves[events[i].node];
    if (events[i].idle)
      leave_s_[i] = leave_s;
    else
      leave_s = events[i].t_s;
  }
}

std::optional<double> RecordedHoles::next_s() const {
  if (next_ == recorded_.events.size()) return {};
  return recorded_.events[next_].t_s;
}

HoleChange RecordedHoles::advance(std::vector<bool> const&) {
  HoleChange change;
  auto const& events = recorded_.events;
  EXPECT(next_ < events.size(), next_, events.size());
  now_s_ = events[next_].t_s;
  for (; next_ < events.size() && events[next_].t_s == now_s_; ++next_) {
    auto const& event = events[next_];
    (event.idle ? change.joiners : change.leavers).push_back(event.node);
    if (event.idle) hole_end_s_[event.node] = leave_s_[next_];
  }
  return change;
}

std::optional<double> RecordedHoles::end_s(NodeNumber node) const {
  EXPECT(node < hole_end_s_.size(), node, hole_end_s_.size());
  auto const end = hole_end_s_[node];
  return end && *end - now_s_ <= options_.known_ahead_s ? end : std::nullopt;
}

}  // namespace gleaner::sim

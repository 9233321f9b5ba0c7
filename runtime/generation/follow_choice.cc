// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/follow_choice.hh"

#include <utility>

#include "runtime/generation/follow_forecast.hh"

namespace gleaner::generation {

using membership::Options;

namespace {

constexpr int attempts = 2;
/// Less says more about the connection's start than about its speed.
constexpr std::uint64_t measured_bytes_min = 1 << 20;

}  // namespace

void FollowChoice::measured(msg::StateReceived const& received) {
  if (received.took_s <= 0 || received.bytes < measured_bytes_min) return;
  auto const now = double(received.bytes) / received.took_s;
  bytes_per_s_ =
      std::exchange(is_measured_, true) ? (bytes_per_s_ + now) / 2 : now;
}

std::string FollowChoice::objection(MemberIds const& members,
                                    MemberIds const& joiners,
                                    MemberTable const& table,
                                    Training const& training) const {
  if (follow_ == Options::Follow::off) return "GLEANER_FOLLOW is off";
  auto const& first = table.at(members.front());
  for (auto const id : members) {
    auto const& member = table.at(id);
    if (!member.must_copy.empty()) return member.must_copy;
    if (member.failed_follows >= attempts)
      return "member " + std::to_string(id) + " could not follow before";
    if (member.fingerprint != first.fingerprint)
      return "member " + std::to_string(id) + " computes with '" +
             member.fingerprint + "', member " + std::to_string(first.id) +
             " with '" + first.fingerprint + "'";
  }
  if (follow_ == Options::Follow::on) return "";
  FollowForecast forecast;
  forecast.state_bytes = training.schema.state_bytes;
  forecast.gradient_bytes = training.schema.gradient_bytes;
  forecast.joiners = std::uint32_t(joiners.size());
  forecast.step_s = training.step_s;
  forecast.update_s = training.update_s;
  forecast.bytes_per_s = bytes_per_s_;
  forecast.backlog_bytes_max = backlog_bytes_max_;
  return reason_to_copy(forecast);
}

}  // namespace gleaner::generation

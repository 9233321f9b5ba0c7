// SPDX-License-Identifier: Apache-2.0
/// Which joiners get the state before the switch, and how far are they?
///
/// A change that is followed is offered twice: first to feed the joiners, from
/// a boundary that all agree on; then, when all of them have caught up, to
/// switch.  Whatever goes wrong in between withdraws the change; joiners that
/// fail again are brought in by a copy.
#include <utility>

#include "runtime/generation/follow_forecast.hh"
#include "runtime/generation/membership_state.hh"

namespace gleaner {

using membership::Options;

namespace {

constexpr int follow_attempts = 2;
/// Less says more about the connection's start than about its speed.
constexpr std::uint64_t measured_bytes_min = 1 << 20;

}  // namespace

/// Why joiners must not follow, or should not; "": they do.
std::string Membership::State::objection_to_follow(Change const& change) const {
  if (options.follow == Options::Follow::off) return "GLEANER_FOLLOW is off";
  auto const& first = table.at(change.members.front());
  for (auto const id : change.members) {
    auto const& member = table.at(id);
    if (!member.must_copy.empty()) return member.must_copy;
    if (member.failed_follows >= follow_attempts)
      return "member " + std::to_string(id) + " could not follow before";
    if (member.fingerprint != first.fingerprint)
      return "member " + std::to_string(id) + " computes with '" +
             member.fingerprint + "', member " + std::to_string(first.id) +
             " with '" + first.fingerprint + "'";
  }
  if (options.follow == Options::Follow::on) return "";
  FollowForecast forecast;
  forecast.state_bytes = schema->state_bytes;
  forecast.gradient_bytes = schema->gradient_bytes;
  forecast.joiners = std::uint32_t(change.joiners.size());
  forecast.step_s = step_median.seconds();
  forecast.update_s = update_s;
  forecast.bytes_per_s = bytes_per_s > 0 ? bytes_per_s : options.bytes_per_s;
  forecast.backlog_bytes_max = options.follow_backlog_bytes;
  return reason_to_copy(forecast);
}

void Membership::State::decide_on_follow() {
  if (generation == 0 || change->joiners.empty()) return;
  change->copy_why = objection_to_follow(*change);
  change->follow = change->copy_why.empty();
}

void Membership::State::open_follow() {
  change->stage = Change::Stage::following;
  change->following_since_s = now;
  out.record("follow", {{"generation", change->generation},
                        {"members", change->joiners}});
  offer(true);
}

void Membership::State::on(MemberEntry& from, msg::CaughtUp const& message) {
  if (!change || message.generation != change->generation ||
      change->stage != Change::Stage::following ||
      !contains(change->joiners, from.id))
    return;
  change->caught_up.insert(from.id);
  if (change->caught_up.size() < change->joiners.size()) return;
  change->prepare_s = now - change->since_s;
  if (must_not_be(*change)) return;  // decide() withdraws it
  open_change();
}

void Membership::State::on(MemberEntry&, msg::StateReceived const& message) {
  if (message.took_s <= 0 || message.bytes < measured_bytes_min) return;
  auto const measured = double(message.bytes) / message.took_s;
  bytes_per_s = bytes_per_s > 0 ? (bytes_per_s + measured) / 2 : measured;
}

/// Who was to follow has got nowhere.  The next time may be better: a member
/// that fed it may have died.
void Membership::State::count_vain_follow() {
  if (std::exchange(change->broken, true)) return;
  for (auto const id : table.live(change->joiners))
    ++table.at(id).failed_follows;
}

void Membership::State::check_following() {
  if (!change || change->stage != Change::Stage::following ||
      now - change->following_since_s <= options.follow_timeout_s)
    return;
  count_vain_follow();
}

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// What agents, members, comm hosts and a coordinator say to each other.
#include "proto/comm_messages.hh"
#include "proto/runtime_messages.hh"
#include "test/fuzz/round_trip.hh"

namespace gleaner::fuzz {

void check(std::string_view input) {
  auto const json = as_message(input);
  if (!json) return;
  check_round_trip(*json, msg::parse_from_member);
  check_round_trip(*json, msg::parse_to_member);
  check_round_trip(*json, msg::parse_from_agent);
  check_round_trip(*json, msg::parse_to_agent);
  check_round_trip(*json, msg::parse_from_peer);
  check_round_trip(*json, msg::parse_to_peer);
  check_round_trip(*json, msg::parse_from_plane);
  check_round_trip(*json, msg::parse_to_plane);
}

}  // namespace gleaner::fuzz

// SPDX-License-Identifier: Apache-2.0
/// What coordinators, clients and plugins may say to gleanerd, and it to them.
#include "proto/daemon_messages.hh"
#include "test/fuzz/round_trip.hh"

namespace gleaner::fuzz {

void check(std::string_view input) {
  auto const json = as_message(input);
  if (!json) return;
  check_round_trip(*json, msg::parse_from_coordinator);
  check_round_trip(*json, msg::parse_to_coordinator);
  check_round_trip(*json, msg::parse_from_plugin);
  check_round_trip(*json, msg::parse_to_plugin);
  check_round_trip(*json, msg::parse_from_client);
  check_round_trip(*json, msg::parse_to_client);
}

}  // namespace gleaner::fuzz

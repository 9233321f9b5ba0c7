// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/membership_options.hh"

#include <algorithm>

namespace gleaner::generation::membership {

Options with_failure_timeout(double failure_timeout_s) {
  // Programs take their time to end, however short the other limits are.
  constexpr double exit_s_min = 5;
  Options options;
  options.failure_timeout_s = failure_timeout_s;
  options.connect_timeout_s = failure_timeout_s;
  options.prepare_timeout_s = 6 * failure_timeout_s;
  options.urgent_s = 4 * failure_timeout_s;
  options.exit_timeout_s = std::max(exit_s_min, failure_timeout_s);
  options.load_timeout_s = 120 * failure_timeout_s;
  options.stuck.timeout_s = 12 * failure_timeout_s;
  return options;
}

}  // namespace gleaner::generation::membership

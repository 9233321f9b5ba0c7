// SPDX-License-Identifier: Apache-2.0
/// Actions and orders in short words, for the tests of the protocol.
///
///     connect(2)  fetch(2: 0/2 of 1, 1/2 of 2)  begin(4: 0-3)  apply(4 x2)
///     ->Status(5 full h=3 begun=4)  ->Stable(3)  ->Stable(3?) is tentative
///     1<-Prepare(2: 1,2 joins 2)  kill(3)  free(n1)
#pragma once

#include <string>
#include <vector>

#include "runtime/generation/membership.hh"
#include "runtime/generation/session.hh"

namespace gleaner::generation::notation {

/// All actions, separated by blanks.
std::string text(session::Actions const& actions);

/// Messages, kills and freed nodes; records and Register are left out.
std::string text(membership::Orders const& orders);

/// The records of one kind, in order.
std::vector<nlohmann::json> records(membership::Orders const& orders,
                                    std::string const& event);

}  // namespace gleaner::generation::notation

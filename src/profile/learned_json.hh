// SPDX-License-Identifier: Apache-2.0
/// How is what was learned written down?
#pragma once

#include <string>
#include <string_view>

#include "core/result.hh"
#include "profile/learned.hh"

namespace gleaner::profile {

/// One line of JSON.
std::string to_json(Learned const& learned);

/// Reads what to_json() writes.  Fails with invalid_argument, naming the key,
/// for anything else: a missing or unknown key, a value out of its bounds,
/// sizes that do not ascend.
Result<Learned> learned_from_json(std::string_view text);

}  // namespace gleaner::profile

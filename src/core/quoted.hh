// SPDX-License-Identifier: Apache-2.0
/// How a value that somebody else wrote is shown in a message.
#pragma once

#include <string>
#include <string_view>

namespace gleaner {

/// `text` in single quotes, shortened to 40 bytes, unprintable characters and
/// quotes replaced by '?': fit for a message to a terminal or a log.
std::string in_quotes(std::string_view text);

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// Bytes as text, for JSON.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hh"

namespace gleaner::proto {

std::string base64(std::string_view bytes);

/// Fails with invalid_argument.
Result<std::string> from_base64(std::string_view text);

}  // namespace gleaner::proto

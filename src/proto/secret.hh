// SPDX-License-Identifier: Apache-2.0
/// Random values and keyed digests, on OpenSSL's libcrypto.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gleaner::proto {

/// HMAC-SHA256 in hex.
std::string hmac_hex(std::string_view key, std::string_view text);

/// n bytes from the system's random source, in hex.
std::string random_hex(std::size_t n);

/// Compares in time that does not depend on where they differ.
bool equal_secret(std::string_view a, std::string_view b);

}  // namespace gleaner::proto

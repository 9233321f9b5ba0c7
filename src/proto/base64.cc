// SPDX-License-Identifier: Apache-2.0
#include "proto/base64.hh"

#include <openssl/evp.h>

namespace gleaner::proto {

std::string base64(std::string_view bytes) {
  // One more: the library ends it with a zero.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  auto const length = EVP_EncodeBlock(
      reinterpret_cast<unsigned char*>(text.data()),
      reinterpret_cast<unsigned char const*>(bytes.data()), int(bytes.size()));
  text.resize(std::size_t(length));
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  auto const length = EVP_DecodeBlock(
      reinterpret_cast<unsigned char*>(bytes.data()),
      reinterpret_cast<unsigned char const*>(text.data()), int(text.size()));
  // The library takes any amount of padding, for zero bytes.
  auto const padding = text.size() - (text.find_last_not_of('=') + 1);
  if (length < 0 || std::size_t(length) != bytes.size() || padding > 2)
    return Error{Errc::invalid_argument,
                 "'" + std::string(text.substr(0, 40)) + "' is not base64"};
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace gleaner::proto

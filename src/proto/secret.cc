// SPDX-License-Identifier: Apache-2.0
/// Random values and keyed digests, on OpenSSL's libcrypto.
#include "proto/secret.hh"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace gleaner {
namespace {

std::string hex(unsigned char const* bytes, std::size_t n) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

std::string hmac_hex(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
            reinterpret_cast<unsigned char const*>(text.data()), text.size(),
            digest.data(), &size))
    throw std::runtime_error("libcrypto cannot compute HMAC-SHA256");
  return hex(digest.data(), size);
}

std::string random_hex(std::size_t n) {
  std::vector<unsigned char> bytes(n);
  if (RAND_bytes(bytes.data(), static_cast<int>(n)) != 1)
    throw std::runtime_error("the system's random source failed");
  return hex(bytes.data(), n);
}

bool equal_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gleaner

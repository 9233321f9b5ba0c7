// SPDX-License-Identifier: Apache-2.0
/// Random values, and keyed digests of OpenSSL's libcrypto.
#include "proto/secret.hh"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <vector>

#include "proto/libcrypto_use.hh"

namespace gleaner::proto {
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

void fill_randomly(unsigned char* bytes, std::size_t n) {
  for (std::size_t done = 0; done < n;) {
    auto const got = ::getrandom(bytes + done, n - done, 0);
    if (got < 0 && errno != EINTR)
      throw std::runtime_error("the system's random source failed");
    if (got > 0) done += std::size_t(got);
  }
}

}  // namespace

std::string hmac_hex(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  LibcryptoUse const use;
  if (!use) {
    // The process ends.  Nobody believes this, nor makes us believe him.
    constexpr std::size_t sha256_bytes = 32;
    fill_randomly(digest.data(), sha256_bytes);
    return hex(digest.data(), sha256_bytes);
  }
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
            reinterpret_cast<unsigned char const*>(text.data()), text.size(),
            digest.data(), &size))
    throw std::runtime_error("libcrypto cannot compute HMAC-SHA256");
  return hex(digest.data(), size);
}

std::string random_hex(std::size_t n) {
  std::vector<unsigned char> bytes(n);
  fill_randomly(bytes.data(), n);
  return hex(bytes.data(), n);
}

bool equal_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gleaner::proto

// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/state_digest.hh"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>

namespace gleaner::state {
namespace {

constexpr std::size_t samples = 256;
constexpr std::size_t sample_bytes = 128;

std::string sha256_hex(void const* data, std::size_t bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(data, bytes, digest, &size, EVP_sha256(), nullptr) != 1)
    return "";  // out of memory: equal on nobody
  std::string hex;
  for (unsigned i = 0; i < size; ++i)
    for (int const nibble : {digest[i] >> 4, digest[i] & 15})
      hex += "0123456789abcdef"[nibble];
  return hex;
}

bool is_looked_at(Tensor const& tensor) {
  return tensor.role != Role::buffer && tensor.bytes() > 0;
}

/// Sample k lies somewhere in the k-th part of what is looked at.
std::string take_samples(Registry const& registry, msg::Step step) {
  std::size_t all = 0;
  for (auto const& tensor : registry.tensors())
    if (is_looked_at(tensor)) all += tensor.bytes();
  auto const part = all / samples + 1;
  std::string taken;
  std::size_t begin = 0;  // of the tensor, among those looked at
  std::size_t k = 0;
  auto const place = [&] {
    auto const x = (std::uint64_t(step) * samples + k) * 0x9e3779b97f4a7c15;
    return k * part + (x >> 32) % part;
  };
  for (auto const& tensor : registry.tensors()) {
    if (!is_looked_at(tensor)) continue;
    for (; k < samples && place() < begin + tensor.bytes(); ++k) {
      auto const at = place() - begin;
      taken.append(static_cast<char const*>(tensor.data) + at,
                   std::min(sample_bytes, tensor.bytes() - at));
    }
    begin += tensor.bytes();
  }
  return taken;
}

}  // namespace

Result<DigestOf> digest_wanted() {
  auto const* value = std::getenv("GLEANER_STATE_CHECK");
  std::string const text = value ? value : "sampled";
  if (text == "sampled") return DigestOf::samples;
  if (text == "full") return DigestOf::tensors;
  return Error{Errc::invalid_argument, "GLEANER_STATE_CHECK is '" + text +
                                           "', expected 'sampled' or 'full'"};
}

std::map<std::string, std::string> state_digests(Registry const& registry,
                                                 msg::Step step, DigestOf of) {
  std::map<std::string, std::string> digests;
  if (of == DigestOf::samples) {
    auto const taken = take_samples(registry, step);
    digests[""] = sha256_hex(taken.data(), taken.size());
    return digests;
  }
  for (auto const& tensor : registry.tensors())
    if (is_looked_at(tensor))
      digests[tensor.name] = sha256_hex(tensor.data, tensor.bytes());
  return digests;
}

}  // namespace gleaner::state

// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/state_digest.hh"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

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

using Tensors = std::vector<Tensor const*>;

enum class Kind { buffers, others };

Tensors tensors_of(Registry const& registry, Kind kind) {
  Tensors found;
  for (auto const& tensor : registry.tensors()) {
    bool const is_buffer = tensor.role == Role::buffer;
    if (is_buffer == (kind == Kind::buffers) && tensor.bytes() > 0)
      found.push_back(&tensor);
  }
  return found;
}

/// Sample k lies somewhere in the k-th part of what is looked at.
std::string take_samples(Tensors const& tensors, msg::Step step) {
  std::size_t all = 0;
  for (auto const* tensor : tensors) all += tensor->bytes();
  auto const part = all / samples + 1;
  std::string taken;
  std::size_t begin = 0;  // of the tensor, among those looked at
  std::size_t k = 0;
  auto const place = [&] {
    auto const x = (std::uint64_t(step) * samples + k) * 0x9e3779b97f4a7c15;
    return k * part + (x >> 32) % part;
  };
  for (auto const* tensor : tensors) {
    for (; k < samples && place() < begin + tensor->bytes(); ++k) {
      auto const at = place() - begin;
      taken.append(static_cast<char const*>(tensor->data) + at,
                   std::min(sample_bytes, tensor->bytes() - at));
    }
    begin += tensor->bytes();
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

Result<Buffers> buffers_promised() {
  auto const* value = std::getenv("GLEANER_BUFFERS");
  std::string const text = value ? value : "own";
  if (text == "own") return Buffers::own;
  if (text == "equal") return Buffers::equal;
  return Error{Errc::invalid_argument,
               "GLEANER_BUFFERS is '" + text + "', expected 'own' or 'equal'"};
}

/// Buffers have samples of their own: they are small, and would have few.
std::map<std::string, std::string> state_digests(Registry const& registry,
                                                 msg::Step step, DigestOf of,
                                                 Buffers buffers) {
  auto tensors = tensors_of(registry, Kind::others);
  auto const compared = buffers == Buffers::equal
                            ? tensors_of(registry, Kind::buffers)
                            : Tensors();
  std::map<std::string, std::string> digests;
  if (of == DigestOf::samples) {
    auto const taken =
        take_samples(tensors, step) + take_samples(compared, step);
    digests[""] = sha256_hex(taken.data(), taken.size());
    return digests;
  }
  tensors.insert(tensors.end(), compared.begin(), compared.end());
  for (auto const* tensor : tensors)
    digests[tensor->name] = sha256_hex(tensor->data, tensor->bytes());
  return digests;
}

}  // namespace gleaner::state

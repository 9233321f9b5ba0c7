// SPDX-License-Identifier: Apache-2.0
/// How a frame is sealed.
#include "proto/frame_seal.hh"

#include "proto/secret.hh"

namespace gleaner::proto {

std::string FrameSeal::next(std::string_view text) {
  auto counted = std::to_string(count_++) + ':';
  counted += text;
  return hmac_hex(key_, counted);
}

}  // namespace gleaner::proto

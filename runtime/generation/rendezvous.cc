// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/rendezvous.hh"

namespace gleaner::generation {

std::optional<msg::PlaneBlobs> Rendezvous::give(MemberIds const& ranks,
                                                msg::MemberId from,
                                                msg::PlaneBlob const& blob) {
  Key const key{blob.generation, blob.key};
  auto& given = blobs_[key];
  given[from] = blob.blob;
  if (given.size() < ranks.size()) return std::nullopt;
  msg::PlaneBlobs all{blob.generation, blob.key, {}};
  for (auto const id : ranks) all.blobs.push_back(given[id]);
  blobs_.erase(key);
  return all;
}

}  // namespace gleaner::generation

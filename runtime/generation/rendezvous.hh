// SPDX-License-Identifier: Apache-2.0
/// Has every member given its contact data, so that all can be told?
///
/// The members of a data plane find each other through the coordinator: each
/// gives a blob under a key, and all get the blobs of all, in rank order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runtime/generation/member_ids.hh"

namespace gleaner::generation {

class Rendezvous {
 public:
  /// `from` is one of `ranks`, the members of the blob's generation.  Returns
  /// what all of them get once the last has given its blob.  A blob that is
  /// given again takes the place of the one before.
  std::optional<msg::PlaneBlobs> give(MemberIds const& ranks,
                                      msg::MemberId from,
                                      msg::PlaneBlob const& blob);

 private:
  using Key = std::pair<msg::Generation, std::string>;
  std::map<Key, std::map<msg::MemberId, std::string>> blobs_;
};

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// Can these members have an NCCL communicator?
///
/// Each tells the others what it is, before any of them calls NCCL.  What NCCL
/// would refuse on some members only after seconds, and in words about ranks
/// and buses, all members then refuse at once, with what to do.
#pragma once

#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner::gpu {

struct NcclContact {
  int version = 0;   ///< of the NCCL that was loaded
  std::string host;  ///< equal for members that NCCL takes to be on one machine
  std::string node;  ///< what messages call it
  std::string gpu;   ///< its PCI address: "0000:1b:00.0"

  std::string text() const;
  /// Fails with invalid_argument when it is no such text.
  static Result<NcclContact> parse(std::string const& text);
};

/// This machine as NCCL knows it: by $NCCL_HOSTID, else by its name and boot.
std::string nccl_host();

/// By rank.  Fails with invalid_argument when two of them have the same GPU, or
/// another NCCL.
Result<void> check_contacts(std::vector<NcclContact> const& contacts);

enum class Ids { one, several };

/// The ranks that make an id for a communicator of so many: with several, each
/// id is where no more than 64 members call in.
std::vector<int> id_makers(int size, Ids ids);

}  // namespace gleaner::gpu

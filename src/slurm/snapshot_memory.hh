// SPDX-License-Identifier: Apache-2.0
/// What were the rarely changing parts of the last snapshot?
#pragma once

#include <map>
#include <string>

#include "core/resources.hh"
#include "slurm/node_kinds.hh"
#include "slurm/text_memory.hh"

namespace gleaner::slurm {

struct SnapshotMemory {
  NodeKindMemory kinds;
  Remembered<Result<Gres>> gres;  ///< what nodes say is in use

  /// What `all` a node has is not in use; nothing if that cannot be read.
  Gres unused_of(std::string const& in_use, Gres const& all) {
    auto const& used = gres.of(in_use, parse_gres);
    return used ? minus(all, *used) : Gres{};
  }
};

}  // namespace gleaner::slurm

// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/program_check.hh"

#include <cassert>

namespace gleaner::generation {

std::string ProgramCheck::objection(msg::MemberId member,
                                    msg::Loaded const& loaded) const {
  assert(first_);
  if (loaded.schema != first_->schema ||
      loaded.dataset_size != first_->dataset_size)
    return "member " + std::to_string(member) +
           " registered other tensors or options than member " +
           std::to_string(first_->member) +
           " (all must run the same program on the same data)";
  if (computing_ == Computing::alike &&
      loaded.fingerprint != first_->fingerprint)
    return "member " + std::to_string(member) + " computes with '" +
           loaded.fingerprint + "', member " + std::to_string(first_->member) +
           " with '" + first_->fingerprint +
           "' (in deterministic mode all must be the same) [leave such "
           "nodes out, or set OMP_NUM_THREADS]";
  return "";
}

}  // namespace gleaner::generation

// SPDX-License-Identifier: Apache-2.0
/// What a build without CBC says of the policy milp.
#include "alloc/milp.hh"

namespace gleaner::alloc {

Result<std::unique_ptr<Allocator>> make_milp(AllocatorOptions const&) {
  return Error{Errc::unavailable,
               "policy 'milp' is not in this build (it needs CBC) [install "
               "coinor-libcbc-dev and run configure again]"};
}

}  // namespace gleaner::alloc

// SPDX-License-Identifier: Apache-2.0
/// Which class goes by which name in gleaner.yaml.
#include "alloc/allocator.hh"
#include "alloc/equal_share.hh"
#include "alloc/exact.hh"

namespace gleaner {

std::unique_ptr<Allocator> make_allocator(std::string_view policy) {
  if (policy == "equal_share") return std::make_unique<EqualShare>();
  return std::make_unique<Exact>();
}

}  // namespace gleaner

// SPDX-License-Identifier: Apache-2.0
/// Which class goes by which name in gleaner.yaml.
#include "alloc/allocator.hh"
#include "alloc/equal_share.hh"
#include "alloc/exact.hh"

namespace gleaner {

Result<std::unique_ptr<Allocator>> make_allocator(
    AllocatorOptions const& options) {
  std::unique_ptr<Allocator> allocator;
  if (options.policy == "exact") allocator = std::make_unique<Exact>();
  if (options.policy == "equal_share")
    allocator = std::make_unique<EqualShare>();
  if (allocator) return allocator;
  return Error{Errc::invalid_argument, "unknown policy '" + options.policy +
                                           "' (there are exact, equal_share)"};
}

Result<std::unique_ptr<Allocator>> make_allocator(std::string_view policy) {
  AllocatorOptions options;
  options.policy = policy;
  return make_allocator(options);
}

}  // namespace gleaner

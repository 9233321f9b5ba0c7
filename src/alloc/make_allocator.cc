// SPDX-License-Identifier: Apache-2.0
/// Which class goes by which name in gleaner.yaml.
#include "alloc/allocator.hh"
#include "alloc/equal_share.hh"
#include "alloc/exact.hh"
#include "alloc/milp.hh"

namespace gleaner {

Result<std::unique_ptr<Allocator>> make_allocator(AllocatorOptions options) {
  auto const policy = options.policy;
  if (policy == "equal_share") return {std::make_unique<EqualShare>()};
  if (policy == "milp") return make_milp(options);
  if (policy != "gleaner") options.extras = Extras::none();
  if (policy == "freetrain") options.cap_change = true;
  if (policy == "gleaner" || policy == "exact" || policy == "freetrain")
    return {std::make_unique<Exact>(std::move(options))};
  return Error{Errc::invalid_argument,
               "unknown policy '" + policy +
                   "' (there are gleaner, exact, freetrain, "
                   "equal_share, milp)"};
}

Result<std::unique_ptr<Allocator>> make_allocator(std::string_view policy) {
  AllocatorOptions options;
  options.policy = policy;
  return make_allocator(std::move(options));
}

}  // namespace gleaner

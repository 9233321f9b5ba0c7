// SPDX-License-Identifier: Apache-2.0
/// Which class goes by which name in gleaner.yaml.
#include <algorithm>

#include "alloc/allocator.hh"
#include "alloc/by_kinds.hh"
#include "alloc/cautious.hh"
#include "alloc/cohorts.hh"
#include "alloc/counts.hh"
#include "alloc/equal_share.hh"
#include "alloc/exact.hh"
#include "alloc/hole_needs.hh"
#include "alloc/milp.hh"

namespace gleaner::alloc {

void Trainer::limit_nodes(int most) {
  nodes_max = std::min(nodes_max, most);
  auto const size = static_cast<std::size_t>(nodes_max) + 1;
  for (auto* list : {&speed, &speed_low, &speed_high})
    if (list->size() > size) list->resize(size);
}

namespace {

std::unique_ptr<Allocator> obeying_kinds(std::unique_ptr<Allocator> whole,
                                         AlikePolicy parts,
                                         AllocatorOptions const& options) {
  return std::make_unique<ByKinds>(std::move(whole), std::move(parts),
                                   options.extras, options.steps_max);
}

AlikePolicy exact_parts(AllocatorOptions const& options) {
  AlikePolicy parts;
  parts.counts = [options](Problem const& problem, Holdings const& holdings,
                           double steps_max) {
    return Result<Counts>(best_counts(problem, holdings, options, steps_max));
  };
  parts.place = place;
  if (options.extras.cohorts)
    parts.place = [swaps = options.extras.swaps](auto&&... arguments) {
      return place_cohorts(arguments..., swaps ? Swaps::yes : Swaps::no);
    };
  return parts;
}

Result<Counts> equal_counts(Problem const& problem, Holdings const& holdings,
                            double) {
  int nodes = holdings.pool;
  for (int const bound : holdings.bound) nodes += bound;
  return Counts{share_counts(problem.trainers, nodes)};
}

/// The program counts nodes one by one, so they are made, like the real ones in
/// number.
Result<Counts> milp_counts(AllocatorOptions const& options,
                           Problem const& numbers) {
  auto allocator = make_milp(options);
  if (!allocator) return allocator.error();
  Problem problem = numbers;
  NodeIndex next = 0;
  for (auto& trainer : problem.trainers)
    for (auto& node : trainer.nodes) node = next++;
  problem.nodes.resize(std::max<std::size_t>(problem.nodes.size(), next));
  auto const decision =
      (*allocator)->allocate(problem, std::chrono::milliseconds(10000));
  if (!decision) return decision.error();
  Counts result;
  for (auto const& nodes : decision->plan)
    result.counts.push_back(static_cast<int>(nodes.size()));
  return result;
}

}  // namespace

Result<std::unique_ptr<Allocator>> make_allocator(AllocatorOptions options) {
  auto const policy = options.policy;
  if (policy != "gleaner") options.extras = Extras::none();
  if (policy == "freetrain") options.cap_change = true;
  if (policy == "equal_share")
    return obeying_kinds(std::make_unique<EqualShare>(), {equal_counts, place},
                         options);
  if (policy == "milp") {
    auto milp = make_milp(options);
    if (!milp) return milp;
    auto const counts = [options](Problem const& problem, Holdings const&,
                                  double) {
      return milp_counts(options, problem);
    };
    return obeying_kinds(std::move(*milp), {counts, place}, options);
  }
  if (policy == "gleaner" || policy == "exact" || policy == "freetrain") {
    auto parts = exact_parts(options);
    auto exact = obeying_kinds(std::make_unique<Exact>(options),
                               std::move(parts), options);
    if (policy != "gleaner") return exact;
    std::unique_ptr<Allocator> cautious =
        std::make_unique<Cautious>(std::move(exact));
    return options.extras.short_holes ? heeding_short_holes(std::move(cautious))
                                      : std::move(cautious);
  }
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

}  // namespace gleaner::alloc
